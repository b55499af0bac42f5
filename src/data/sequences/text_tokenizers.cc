#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_place.h"
#include "base/utf8.h"
#include "data/sequences/each_megabyte.h"
#include "data/sequences/tokenizer.h"
#include "data/sequences/vocabulary.h"

// The tokenizers that are built in, and their JSON:
//
//   {"unit": "character", "characters": "\n !',"}
//   {"unit": "word", "words": ["the", "\n", "a"]}
//   {"unit": "byte"}
namespace lockstep {
namespace {

constexpr const char* kCharactersKey = "characters";
constexpr const char* kWordsKey = "words";
constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::string_view kWordEnds = " \t\r\v\f\n";

std::string_view take_bytes(std::string_view& text, std::size_t bytes) {
  const std::string_view taken = text.substr(0, bytes);
  text.remove_prefix(taken.size());
  return taken;
}

std::string_view take_byte(std::string_view& text) { return take_bytes(text, 1); }

std::string_view take_character(std::string_view& text) {
  const std::size_t bytes = first_character(text).bytes;
  LS_CHECK(bytes > 0 || text.empty(), "a text that was not checked: it is not UTF-8");
  return take_bytes(text, bytes);
}

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return take_bytes(text, text.starts_with('\n') ? 1 : text.find_first_of(kWordEnds));
}

[[noreturn]] void refuse_size(const TokenizerOptions& options, const std::string& why) {
  throw Error(ExitCode::usage, fmt::format("hparam vocab_size={}: {}", options.vocab_size, why), Scope::every_rank);
}

void check_no_size(const TokenizerKind& kind, const TokenizerOptions& options) {
  if (options.vocab_size == 0) return;
  refuse_size(options, fmt::format("a text read by its {}s has as many symbols as there are of them; leave it out, or "
                                   "give text_unit=word",
                                   kind.name));
}

TokenizerPointer of_characters(std::vector<std::string> symbols) {
  constexpr Vocabulary::Form kForm{
      .take = take_character, .key = kCharactersKey, .characters = true, .unknown = "\xEF\xBF\xBD"};
  return std::make_shared<Vocabulary>(character_tokenizer(), kForm, std::move(symbols));
}

TokenizerPointer of_words(std::vector<std::string> symbols) {
  constexpr Vocabulary::Form kForm{.take = take_word, .key = kWordsKey, .unknown = "<unk>", .separator = " "};
  return std::make_shared<Vocabulary>(word_tokenizer(), kForm, std::move(symbols));
}

TokenizerPointer of_bytes() {
  std::vector<std::string> bytes;
  bytes.reserve(256);
  for (int byte = 0; byte < 256; ++byte) bytes.emplace_back(1, static_cast<char>(byte));
  return std::make_shared<Vocabulary>(byte_tokenizer(), Vocabulary::Form{.take = take_byte}, std::move(bytes));
}

struct UnitCount {
  std::string unit;
  std::int64_t times = 0;
};

// The units of a text, sorted by their bytes, which in UTF-8 is the order of code points, and how often they occur.
std::vector<UnitCount> count_units(std::string_view (*take)(std::string_view& text), std::string_view text,
                                   const std::function<void()>& each_megabyte) {
  EachMegabyte progress(each_megabyte, text.size());
  std::array<std::int64_t, 256> of_byte{};  // most units of a text have one byte: counted without hashing
  std::unordered_map<std::string_view, std::int64_t> of_longer;
  for (auto found = take(text); !found.empty(); found = take(text)) {
    progress.at(text.size());
    ++(found.size() == 1 ? of_byte[static_cast<unsigned char>(found.front())] : of_longer[found]);
  }
  std::vector<UnitCount> counts;
  counts.reserve(of_byte.size() + of_longer.size());
  for (std::size_t byte = 0; byte < of_byte.size(); ++byte) {
    if (of_byte[byte] > 0) counts.push_back({.unit = std::string(1, static_cast<char>(byte)), .times = of_byte[byte]});
  }
  for (const auto& [longer, times] : of_longer) counts.push_back({.unit = std::string(longer), .times = times});
  std::ranges::sort(counts, {}, &UnitCount::unit);
  return counts;
}

// The units of the first `most` counts.
std::vector<std::string> units_of(std::vector<UnitCount> counts, std::size_t most) {
  counts.resize(std::min(most, counts.size()));
  std::vector<std::string> units;
  units.reserve(counts.size());
  for (UnitCount& count : counts) units.push_back(std::move(count.unit));
  return units;
}

TokenizerPointer make_words(std::string_view training_text, const TokenizerOptions& options) {
  constexpr std::int64_t kBesideWords = 3;  // padding, the end, and unknown words
  constexpr std::int64_t kMostSymbols = 1 << 30;
  std::int64_t most = 1 << 15;  // as in tensor2tensor's larger vocabularies; the line end counts as one
  if (options.vocab_size != 0) {
    most = options.vocab_size - kBesideWords;
    if (most < 1) {
      refuse_size(options,
                  fmt::format("padding, the end and unknown words are {} symbols already; give more", kBesideWords));
    }
    if (options.vocab_size > kMostSymbols) {
      refuse_size(options, fmt::format("a vocabulary has at most {} symbols; give fewer", kMostSymbols));
    }
  }
  std::vector<UnitCount> counts = count_units(take_word, training_text, options.each_megabyte);
  // A stable sort: units of equal counts keep the order of their bytes.
  std::ranges::stable_sort(counts, std::ranges::greater(), &UnitCount::times);
  return of_words(units_of(std::move(counts), static_cast<std::size_t>(most)));
}

TokenizerPointer characters_from_json(const Json& json) {
  const JsonPlace place = JsonPlace(json).member(kCharactersKey);
  std::string_view text = place.text();
  std::vector<std::string> characters;
  for (auto character = take_character(text); !character.empty(); character = take_character(text)) {
    if (!characters.empty() && character <= characters.back()) {
      place.refuse("expected characters that rise by their code point");
    }
    characters.emplace_back(character);
  }
  return of_characters(std::move(characters));
}

TokenizerPointer words_from_json(const Json& json) {
  const std::vector<JsonPlace> elements = JsonPlace(json).member(kWordsKey).elements();
  std::vector<std::string> words;
  words.reserve(elements.size());
  std::unordered_set<std::string_view> seen;
  for (const JsonPlace& element : elements) {
    std::string_view rest = element.text();
    const std::string_view word = take_word(rest);
    if (word.empty() || word != element.text()) element.refuse("expected one word, or the line end");
    if (!seen.insert(word).second) element.refuse("this word stands in the list twice");
    words.emplace_back(word);
  }
  return of_words(std::move(words));
}

}  // namespace

TokenizerKind character_tokenizer() {
  return {
      .name = "character",
      .help = "each code point of the text is a symbol (the default)",
      .make =
          [](std::string_view training_text, const TokenizerOptions& options) {
            check_no_size(character_tokenizer(), options);
            return of_characters(units_of(count_units(take_character, training_text, options.each_megabyte), SIZE_MAX));
          },
      .from_json = characters_from_json};
}

TokenizerKind word_tokenizer() {
  return {.name = "word",
          .help = "the text between white space, and each line end",
          .blanks = kBlanks,
          .make = make_words,
          .from_json = words_from_json};
}

TokenizerKind byte_tokenizer() {
  return {.name = "byte",
          .help = "each byte of the text, which need not be UTF-8",
          .utf8 = false,
          .make =
              [](std::string_view /*training_text*/, const TokenizerOptions& options) {
                check_no_size(byte_tokenizer(), options);
                return of_bytes();
              },
          .from_json = [](const Json& /*json*/) { return of_bytes(); }};
}

}  // namespace lockstep
