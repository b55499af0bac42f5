#include "data/sequences/tokenizer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/error.h"
#include "base/json_place.h"
#include "base/printable.h"
#include "base/sha256.h"
#include "data/sequences/sequence_pair.h"

namespace lockstep {
namespace {

constexpr const char* kUnitKey = "unit";

std::string text_of(const Tokenizer& tokenizer, std::int32_t number) {
  if (tokenizer.unknown() == number) return "what is none of them";
  const std::array<std::int32_t, 1> symbol{number};
  return in_quotes(tokenizer.decode(symbol));
}

}  // namespace

bool Tokenizer::encode_next(std::string_view& text, std::vector<std::int32_t>& symbols) const {
  const std::size_t left = text.size();
  const auto before = std::ssize(symbols);
  if (!take_piece(text, symbols)) return false;
  const auto refuse = [this](const std::string& what) {
    throw Error(ExitCode::internal,
                fmt::format("tokenizer {} {}; correct its take_piece()", in_quotes(kind_.name), what),
                Scope::every_rank);
  };
  if (text.size() >= left) refuse("gives symbols, but takes nothing off the text");
  const std::int64_t most = size();
  for (auto symbol = symbols.begin() + before; symbol != symbols.end(); ++symbol) {
    if (*symbol < 0 || *symbol >= most) refuse(fmt::format("gives symbol {}, outside 0 to {}", *symbol, most - 1));
  }
  return true;
}

Json Tokenizer::to_json() const {
  Json::Object object{{kUnitKey, std::string(kind_.name)}};
  for (auto& member : to_members()) object.push_back(std::move(member));
  return object;
}

const std::string& Tokenizer::digest() const {
  std::call_once(hashed_, [this] { digest_ = vocabulary_digest(to_json().text()); });
  return digest_;
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<std::int32_t> symbols;
  while (encode_next(text, symbols)) {
  }
  return symbols;
}

TokenizerPointer read_tokenizer(const std::string& json, const Table<TokenizerKind>& kinds) {
  const Json parsed = parse_json(json);
  const JsonPlace unit = JsonPlace(parsed).member(kUnitKey);
  if (!kinds.has(unit.text())) {
    unit.refuse(fmt::format("expected {}; if its run had a --usr_lib, give that", fmt::join(kinds.names(), ", ")));
  }
  return kinds.find(unit.text()).from_json(parsed);
}

std::string vocabulary_digest(std::string_view json) {
  Sha256 sha;
  sha.update(std::as_bytes(std::span(json)));
  return hex(sha.finish());
}

std::string vocabulary_difference(const Tokenizer& there, const Tokenizer& here) {
  if (there.digest() == here.digest()) return "";
  if (there.kind().name != here.kind().name) {
    return fmt::format("{}s there and {}s here", there.kind().name, here.kind().name);
  }
  std::string sizes = fmt::format("{} symbols there and {} here", there.size(), here.size());
  const auto shorter = static_cast<std::int32_t>(std::min(there.size(), here.size()));
  for (std::int32_t number = kFirstSymbol; number < shorter; ++number) {
    const std::string before = text_of(there, number);
    const std::string now = text_of(here, number);
    if (before != now) return fmt::format("{}, of which number {} is {} there and {} here", sizes, number, before, now);
  }
  if (there.size() != here.size()) return sizes;
  return fmt::format("the same symbols, but its SHA-256 is {} there and {} here", there.digest(), here.digest());
}

}  // namespace lockstep
