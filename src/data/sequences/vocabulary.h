#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/sequences/tokenizer.h"

namespace lockstep {

// A tokenizer whose symbols are units of a text, by a list of those that it knows.
class Vocabulary final : public Tokenizer {
 public:
  // The units of a tokenizer, and how they are written. The texts and functions live as long as the program.
  struct Form {
    // Removes the first unit of the text, and the blanks before it, and returns the unit; "" if there is none left.
    std::string_view (*take)(std::string_view& text);
    const char* key = nullptr;     // member of the JSON that lists the units, as one text if nothing separates them
    bool characters = false;       // units are characters
    std::string_view unknown{};    // text of the symbol for all units that the list does not have; "": it has all
    std::string_view separator{};  // between two units, except at a line end
  };

  // symbols: the units, from kFirstSymbol on.
  Vocabulary(const TokenizerKind& kind, const Form& form, std::vector<std::string> symbols);

  std::int64_t size() const override { return std::int64_t{first_beyond()} + (unknown() ? 1 : 0); }
  std::optional<std::int32_t> unknown() const override;
  bool characters() const override { return form_.characters; }
  std::string decode(std::span<const std::int32_t> symbols) const override;
  std::string_view separator() const override { return form_.separator; }

 private:
  bool take_piece(std::string_view& text, std::vector<std::int32_t>& symbols) const override;
  Json::Object to_members() const override;

  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::int32_t number_of(std::string_view unit) const;
  std::int32_t first_beyond() const;  // the number after that of the last of symbols_

  Form form_;
  std::vector<std::string> symbols_;  // as in a text, from kFirstSymbol on

  // Their numbers. Symbols of one byte are most of a text, and need no hashing.
  std::array<std::int32_t, 256> of_byte_{};
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> of_longer_;
};

}  // namespace lockstep
