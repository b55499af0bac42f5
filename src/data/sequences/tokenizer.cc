#include "data/sequences/tokenizer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>

#include "base/json_place.h"
#include "base/sha256.h"

namespace lockstep {

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

}  // namespace lockstep
