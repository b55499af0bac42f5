#include <fmt/format.h>

#include <unordered_set>
#include <utility>

#include "base/json_place.h"
#include "data/sequences/unit_counts.h"
#include "data/sequences/vocabulary.h"

// A vocabulary as JSON:
//
//   {"unit": "character", "characters": "\n !',"}
//   {"unit": "word", "words": ["the", "\n", "a"]}
//   {"unit": "byte"}
namespace lockstep {
namespace {

constexpr const char* kUnitKey = "unit";
constexpr const char* kCharactersKey = "characters";
constexpr const char* kWordsKey = "words";

std::vector<std::string> characters_in(const JsonPlace& place) {
  std::string_view text = place.text();
  std::vector<std::string> characters;
  for (auto character = take_unit(TextUnit::character, text); !character.empty();
       character = take_unit(TextUnit::character, text)) {
    if (!characters.empty() && character <= characters.back()) {
      place.refuse("expected characters that rise by their code point");
    }
    characters.emplace_back(character);
  }
  return characters;
}

std::vector<std::string> words_in(const JsonPlace& place) {
  const std::vector<JsonPlace> elements = place.elements();
  std::vector<std::string> words;
  words.reserve(elements.size());
  std::unordered_set<std::string_view> seen;
  for (const JsonPlace& element : elements) {
    std::string_view rest = element.text();
    const std::string_view word = take_unit(TextUnit::word, rest);
    if (word.empty() || word != element.text()) element.refuse("expected one word, or the line end");
    if (!seen.insert(word).second) element.refuse("this word stands in the list twice");
    words.emplace_back(word);
  }
  return words;
}

}  // namespace

Json Vocabulary::to_json() const {
  Json::Object object{{kUnitKey, name(unit_)}};
  if (unit_ == TextUnit::character) {
    std::string all;
    for (const std::string& character : symbols_) all += character;
    object.emplace_back(kCharactersKey, std::move(all));
  } else if (unit_ == TextUnit::word) {
    object.emplace_back(kWordsKey, Json::Array(symbols_.begin(), symbols_.end()));
  }
  return object;
}

Vocabulary Vocabulary::from_json(const Json& json) {
  const JsonPlace place(json);
  const JsonPlace unit_place = place.member(kUnitKey);
  const std::optional<TextUnit> unit = text_unit_of(unit_place.text());
  if (!unit) unit_place.refuse("expected character, word or byte");
  switch (*unit) {
    case TextUnit::character:
      return {*unit, characters_in(place.member(kCharactersKey))};
    case TextUnit::word:
      return {*unit, words_in(place.member(kWordsKey))};
    case TextUnit::byte:
      break;
  }
  return {Options{.unit = TextUnit::byte}, ""};
}

}  // namespace lockstep
