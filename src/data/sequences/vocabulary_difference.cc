#include "data/sequences/vocabulary_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/printable.h"
#include "data/sequences/sequence_pair.h"

namespace lockstep {
namespace {

std::string text_of(const Vocabulary& vocabulary, std::int32_t number) {
  if (vocabulary.unknown() == number) return "what is none of them";
  const std::array<std::int32_t, 1> symbol{number};
  return in_quotes(vocabulary.decode(symbol));
}

}  // namespace

std::string vocabulary_difference(const Vocabulary& there, const Vocabulary& here) {
  if (there.unit() != here.unit()) return fmt::format("{}s there and {}s here", name(there.unit()), name(here.unit()));
  const auto shorter = static_cast<std::int32_t>(std::min(there.size(), here.size()));
  std::int32_t number = kFirstSymbol;
  while (number + 1 < shorter && text_of(there, number) == text_of(here, number)) ++number;
  return fmt::format("{} symbols there and {} here, of which number {} is {} there and {} here", there.size(),
                     here.size(), number, text_of(there, number), text_of(here, number));
}

}  // namespace lockstep
