#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "data/sequences/text_unit.h"

namespace lockstep {

// The symbols of a text and their numbers: kPadSymbol and kEndSymbol, then, from kFirstSymbol on,
//
//   character: those of the training text by code point, then one for all others (`unknown`);
//   word: the most frequent ones of the training text, the most frequent first, equals by their bytes, then `unknown`;
//   byte: all 256.
//
// The same text gives the same vocabulary everywhere. A plain value; const methods from any thread.
class Vocabulary {
 public:
  // Number of symbols that are no words: padding, the end, and `unknown`.
  static constexpr std::int64_t kSymbolsBesideWords = 3;
  static constexpr std::int64_t kMostSymbols = 1 << 30;

  struct Options {
    TextUnit unit = TextUnit::character;
    std::int64_t most_words = 1 << 15;      // the line end counts as one; as in tensor2tensor's larger vocabularies
    std::function<void()> each_megabyte{};  // called for each megabyte of the training text
  };
  // REQUIRES: the text is UTF-8, unless the unit is the byte, for which the text is not used; 1 <= most_words <= 2^30.
  Vocabulary(const Options& options, std::string_view training_text);

  // Reads the result of to_json(). Throws JsonError, with the place, for anything else.
  static Vocabulary from_json(const Json& json);
  Json to_json() const;

  TextUnit unit() const { return unit_; }
  std::int64_t size() const { return std::int64_t{first_beyond()} + (unknown() ? 1 : 0); }
  std::optional<std::int32_t> unknown() const;

  // The number of one unit of a text (take_unit() gives it). REQUIRES: it is not empty.
  std::int32_t number_of(std::string_view unit) const;
  // The numbers of a text's units. REQUIRES: as take_unit().
  std::vector<std::int32_t> encode(std::string_view text) const;
  // The text of symbols: words are separated by a blank, except at a line end; kPadSymbol and kEndSymbol give no text;
  // unknown is U+FFFD, or the word <unk>. For bytes the result need not be UTF-8. REQUIRES: each in [0, size()).
  std::string decode(std::span<const std::int32_t> symbols) const;

  bool operator==(const Vocabulary& other) const { return unit_ == other.unit_ && symbols_ == other.symbols_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  Vocabulary(TextUnit unit, std::vector<std::string> symbols);
  std::int32_t first_beyond() const;  // the number after that of the last of symbols_

  TextUnit unit_;
  std::vector<std::string> symbols_;  // as in a text, from kFirstSymbol on

  // Their numbers. Symbols of one byte are most of a text, and need no hashing.
  std::array<std::int32_t, 256> of_byte_{};
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> of_longer_;
};

}  // namespace lockstep
