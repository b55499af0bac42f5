#include "data/sequences/vocabulary.h"

#include <utility>

#include "base/error.h"
#include "data/sequences/sequence_pair.h"

namespace lockstep {

Vocabulary::Vocabulary(const TokenizerKind& kind, const Form& form, std::vector<std::string> symbols)
    : Tokenizer(kind), form_(form), symbols_(std::move(symbols)) {
  of_byte_.fill(first_beyond());  // unknown
  of_longer_.reserve(symbols_.size());
  std::int32_t number = kFirstSymbol;
  for (const std::string& symbol : symbols_) {
    if (symbol.size() == 1) {
      of_byte_[static_cast<unsigned char>(symbol.front())] = number++;
    } else {
      of_longer_.emplace(symbol, number++);
    }
  }
}

std::int32_t Vocabulary::first_beyond() const { return kFirstSymbol + static_cast<std::int32_t>(symbols_.size()); }

std::optional<std::int32_t> Vocabulary::unknown() const {
  return form_.unknown.empty() ? std::nullopt : std::optional(first_beyond());
}

std::int32_t Vocabulary::number_of(std::string_view unit) const {
  if (unit.size() == 1) return of_byte_[static_cast<unsigned char>(unit.front())];
  const auto found = of_longer_.find(unit);
  return found == of_longer_.end() ? first_beyond() : found->second;
}

bool Vocabulary::take_piece(std::string_view& text, std::vector<std::int32_t>& symbols) const {
  const std::string_view unit = form_.take(text);
  if (unit.empty()) return false;
  symbols.push_back(number_of(unit));
  return true;
}

std::string Vocabulary::decode(std::span<const std::int32_t> symbols) const {
  std::string text;
  for (const std::int32_t symbol : symbols) {
    LS_CHECK(symbol >= 0 && symbol < size(), "no symbol of this vocabulary");
    if (symbol < kFirstSymbol) continue;
    const std::string_view piece = symbol == first_beyond()
                                       ? form_.unknown
                                       : std::string_view(symbols_[static_cast<std::size_t>(symbol - kFirstSymbol)]);
    if (!text.empty() && text.back() != '\n' && piece != "\n") text += form_.separator;
    text += piece;
  }
  return text;
}

Json::Object Vocabulary::to_members() const {
  if (form_.key == nullptr) return {};
  if (!form_.separator.empty()) return {{form_.key, Json::Array(symbols_.begin(), symbols_.end())}};
  std::string text;
  for (const std::string& symbol : symbols_) text += symbol;
  return {{form_.key, std::move(text)}};
}

}  // namespace lockstep
