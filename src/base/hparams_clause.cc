#include "base/hparams_clause.h"

namespace lockstep {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_character(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.'; }
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f'); }

// Reads a text from front to back.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool take(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }
  template <class Test>
  std::string_view take_while(Test test) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && test(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // A line break that ends the text counts as its end (it is then refused as a clause of its own).
  bool at_end() const { return at_ == text_.size() || (at_ + 1 == text_.size() && text_[at_] == '\n'); }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// Parses an optional "[ 12 ]" after a name.
bool take_index(Cursor& cursor, HParamsClause& clause) {
  if (!cursor.take('[')) return true;
  cursor.take_while(is_blank);
  std::string_view digits = cursor.take_while(is_digit);
  if (digits.empty()) return false;
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  clause.index = digits;
  cursor.take_while(is_blank);
  return cursor.take(']');
}

bool take_value(Cursor& cursor, HParamsClause& clause) {
  clause.is_list = cursor.take('[');
  if (!clause.is_list) {
    clause.value = cursor.take_while([](char c) { return c != ',' && c != '['; });
    return true;
  }
  clause.value = cursor.take_while([](char c) { return c != ']'; });
  return cursor.take(']');
}

}  // namespace

std::optional<HParamsClause> first_hparams_clause(std::string_view text) {
  Cursor cursor(text);
  HParamsClause clause;
  clause.name = cursor.take_while(is_name_character);
  if (clause.name.empty() || !is_letter(clause.name.front()) || !take_index(cursor, clause)) return {};
  cursor.take_while(is_blank);
  if (!cursor.take('=')) return {};
  cursor.take_while(is_blank);
  if (!take_value(cursor, clause)) return {};
  if (cursor.take(',')) {
    cursor.take_while(is_blank);
  } else if (!cursor.at_end()) {
    return {};
  }
  clause.characters = cursor.at();
  return clause;
}

}  // namespace lockstep
