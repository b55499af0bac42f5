#include "data/sequences/vocabulary.h"

#include <utility>

#include "base/error.h"
#include "data/sequences/sequence_pair.h"
#include "data/sequences/unit_counts.h"

namespace lockstep {
namespace {

std::vector<std::string> every_byte() {
  std::vector<std::string> bytes;
  bytes.reserve(256);
  for (int byte = 0; byte < 256; ++byte) bytes.emplace_back(1, static_cast<char>(byte));
  return bytes;
}

std::vector<std::string> symbols_of(const Vocabulary::Options& options, std::string_view training_text) {
  if (options.unit == TextUnit::byte) return every_byte();
  const UnitCounts counts(options.unit, training_text, options.each_megabyte);
  if (options.unit == TextUnit::character) return counts.in_order();
  LS_CHECK(options.most_words >= 1 && options.most_words <= Vocabulary::kMostSymbols, "no such number of words");
  return counts.most_frequent(static_cast<std::size_t>(options.most_words));
}

}  // namespace

Vocabulary::Vocabulary(const Options& options, std::string_view training_text)
    : Vocabulary(options.unit, symbols_of(options, training_text)) {}

Vocabulary::Vocabulary(TextUnit unit, std::vector<std::string> symbols) : unit_(unit), symbols_(std::move(symbols)) {
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
  return unit_ == TextUnit::byte ? std::nullopt : std::optional(first_beyond());
}

std::int32_t Vocabulary::number_of(std::string_view unit) const {
  if (unit.size() == 1) return of_byte_[static_cast<unsigned char>(unit.front())];
  const auto found = of_longer_.find(unit);
  return found == of_longer_.end() ? first_beyond() : found->second;
}

std::vector<std::int32_t> Vocabulary::encode(std::string_view text) const {
  std::vector<std::int32_t> symbols;
  for (auto unit = take_unit(unit_, text); !unit.empty(); unit = take_unit(unit_, text)) {
    symbols.push_back(number_of(unit));
  }
  return symbols;
}

std::string Vocabulary::decode(std::span<const std::int32_t> symbols) const {
  const std::string_view unknown_text = unit_ == TextUnit::word ? "<unk>" : "\xEF\xBF\xBD";
  std::string text;
  for (const std::int32_t symbol : symbols) {
    LS_CHECK(symbol >= 0 && symbol < size(), "no symbol of this vocabulary");
    if (symbol < kFirstSymbol) continue;
    const std::string_view piece = symbol == first_beyond()
                                       ? unknown_text
                                       : std::string_view(symbols_[static_cast<std::size_t>(symbol - kFirstSymbol)]);
    const bool follows_word = unit_ == TextUnit::word && !text.empty() && text.back() != '\n';
    if (follows_word && piece != "\n") text += ' ';
    text += piece;
  }
  return text;
}

}  // namespace lockstep
