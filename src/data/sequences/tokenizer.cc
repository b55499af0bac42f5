#include "data/sequences/tokenizer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/json_place.h"
#include "base/printable.h"
#include "base/sha256.h"
#include "data/sequences/sequence_pair.h"

namespace lockstep {
namespace {

std::string text_of(const Tokenizer& tokenizer, std::int32_t number) {
  if (tokenizer.unknown() == number) return "what is none of them";
  const std::array<std::int32_t, 1> symbol{number};
  return in_quotes(tokenizer.decode(symbol));
}

}  // namespace

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<std::int32_t> symbols;
  while (encode_next(text, symbols)) {
  }
  return symbols;
}

TokenizerPointer read_tokenizer(const std::string& json, const Table<TokenizerKind>& kinds) {
  const Json parsed = parse_json(json);
  const JsonPlace unit = JsonPlace(parsed).member(kUnitKey);
  if (!kinds.has(unit.text())) unit.refuse(fmt::format("expected {}", fmt::join(kinds.names(), ", ")));
  return kinds.find(unit.text()).from_json(parsed);
}

std::string vocabulary_digest(std::string_view json) {
  Sha256 sha;
  sha.update(std::as_bytes(std::span(json)));
  return hex(sha.finish());
}

std::string vocabulary_difference(const std::string& there, const Tokenizer& here) {
  const Json json = parse_json(there);
  const std::string& unit = JsonPlace(json).member(kUnitKey).text();
  if (unit != here.kind().name) return fmt::format("{}s there and {}s here", escaped(unit), here.kind().name);
  const TokenizerPointer other = here.kind().from_json(json);
  const auto shorter = static_cast<std::int32_t>(std::min(other->size(), here.size()));
  std::int32_t number = kFirstSymbol;
  while (number + 1 < shorter && text_of(*other, number) == text_of(here, number)) ++number;
  return fmt::format("{} symbols there and {} here, of which number {} is {} there and {} here", other->size(),
                     here.size(), number, text_of(*other, number), text_of(here, number));
}

}  // namespace lockstep
