#pragma once

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

namespace lockstep {

// A whole number in 32-bit words, the least significant first, as a reference for calculations with digits: it uses
// digits only to be made from them and converted to them.
struct LongNumber {
  std::vector<std::uint32_t> words;  // without 0 at the end

  static LongNumber of_digits(std::span<const std::int32_t> digits, std::int32_t base) {
    LongNumber number;
    for (const std::int32_t digit : std::views::reverse(digits)) {  // Horner's scheme
      auto carried = static_cast<std::uint64_t>(digit);
      for (std::uint32_t& word : number.words) {
        carried += std::uint64_t{word} * static_cast<std::uint64_t>(base);
        word = static_cast<std::uint32_t>(carried);
        carried >>= 32;
      }
      if (carried > 0) number.words.push_back(static_cast<std::uint32_t>(carried));
    }
    return number;
  }

  // Converts by repeated division; 0 has one digit.
  std::vector<std::int32_t> digits(std::int32_t base) const {
    std::vector<std::int32_t> result;
    std::vector<std::uint32_t> rest = words;
    do {
      std::uint64_t remainder = 0;
      for (std::uint32_t& word : std::views::reverse(rest)) {
        remainder = remainder << 32 | word;
        word = static_cast<std::uint32_t>(remainder / static_cast<std::uint64_t>(base));
        remainder %= static_cast<std::uint64_t>(base);
      }
      result.push_back(static_cast<std::int32_t>(remainder));
      while (!rest.empty() && rest.back() == 0) rest.pop_back();
    } while (!rest.empty());
    return result;
  }

  // Adds `times` other, from word `place` on.
  void add(const LongNumber& other, std::uint32_t times = 1, std::size_t place = 0) {
    words.resize(std::max(words.size(), other.words.size() + place) + 2);
    std::uint64_t carried = 0;
    for (std::size_t i = place; i < words.size(); ++i) {
      const std::uint64_t word = i - place < other.words.size() ? other.words[i - place] : 0;
      carried += word * times + words[i];
      words[i] = static_cast<std::uint32_t>(carried);
      carried >>= 32;
    }
    while (!words.empty() && words.back() == 0) words.pop_back();
  }

  LongNumber times(const LongNumber& other) const {
    LongNumber product;
    for (std::size_t i = 0; i < other.words.size(); ++i) product.add(*this, other.words[i], i);
    return product;
  }
};

}  // namespace lockstep
