#include "data/sequences/text_source.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "data/sequences/given_pairs.h"
#include "data/sequences/split_texts.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

using Ids = std::vector<std::int32_t>;

PerSplit<std::string> texts_of(const std::string& train, const std::string& dev) {
  PerSplit<std::string> texts;
  texts[Split::train] = train;
  texts[Split::dev] = dev;
  return texts;
}

Ids targets_of(const TextSource& source, Split split, std::int64_t sample) {
  const SequencePair pair = pair_of(source, split, sample);
  CHECK(pair.inputs.empty());
  CHECK(source.lengths(split, sample) == SequenceLengths{.inputs = 0, .targets = std::ssize(pair.targets)});
  return pair.targets;
}

// Number of characters in Tiny Shakespeare's training split, counted by a Python script over the file.
constexpr std::int64_t kTrainCharacters = 1003856;

// Joins the samples of a split.
Ids joined(const TextSource& source, Split split) {
  Ids all;
  for (std::int64_t sample = 0; sample < source.count(split); ++sample) {
    const Ids targets = targets_of(source, split, sample);
    all.insert(all.end(), targets.begin(), targets.end());
  }
  return all;
}

}  // namespace

TEST_CASE("samples are windows of the stream that do not overlap; the last one has what is left") {
  const auto vocabulary = character_tokenizer().make("abcd\n", {});  // line end 2, a 3, ..., d 6, unknown 7
  const TextSource source(vocabulary, 3, texts_of("abcd\nab", "xa\xE2\x82\xAC"));
  CHECK(source.vocabulary() == 8);
  CHECK(!source.has_inputs());
  CHECK(source.count(Split::train) == 3);
  CHECK(source.length(Split::train) == 7);
  CHECK(targets_of(source, Split::train, 0) == Ids{3, 4, 5});
  CHECK(targets_of(source, Split::train, 1) == Ids{6, 2, 3});
  CHECK(targets_of(source, Split::train, 2) == Ids{4});
  CHECK(source.count(Split::dev) == 1);
  CHECK(targets_of(source, Split::dev, 0) == Ids{7, 3, 7});  // characters that the training text does not have
  CHECK(source.count(Split::test) == 0);
  CHECK(source.tokenizer() == vocabulary);
  CHECK(source.shape().vocabulary_digest == vocabulary_digest(vocabulary->to_json().text()));
}

TEST_CASE("before a window stands the symbol that the stream has there, before the first none") {
  const auto vocabulary = character_tokenizer().make("abcd", {});  // a 2, ..., d 5
  const TextSource source(vocabulary, 2, texts_of("abcda", "dcba"));
  CHECK(pair_of(source, Split::train, 0).before == kPadSymbol);
  CHECK(pair_of(source, Split::train, 1).before == 3);
  CHECK(pair_of(source, Split::train, 2).before == 5);
  CHECK(pair_of(source, Split::dev, 0).before == kPadSymbol);
  CHECK(pair_of(source, Split::dev, 1).before == 4);
}

TEST_CASE("any window gives back the text, and no sample is beyond the last") {
  const std::string text = "the cat\r\n\nsat on the \xF0\x9F\x98\x80 mat";
  for (const TokenizerKind& kind : {character_tokenizer(), word_tokenizer(), byte_tokenizer()}) {
    const auto vocabulary = kind.make(text, {});
    const Ids ids = vocabulary->encode(text);
    for (const std::int64_t window : {1, 2, 5, 7, 1000}) {
      const TextSource source(vocabulary, window, texts_of(text, ""));
      CHECK(source.count(Split::train) == (std::ssize(ids) + window - 1) / window);
      CHECK(joined(source, Split::train) == ids);
      SequencePair pair;
      check_error(ExitCode::internal, {"no such sample"},
                  [&] { source.read_pair(Split::train, source.count(Split::train), pair); });
      check_error(ExitCode::internal, {"no such sample"}, [&] { source.lengths(Split::train, -1); });
      check_error(ExitCode::internal, {"no such sample"}, [&] { source.lengths(Split::dev, 0); });
    }
  }
  check_error(ExitCode::internal, {"one symbol at least"},
              [&] { TextSource(byte_tokenizer().make("", {}), 0, texts_of(text, "")); });
}

TEST_CASE("more symbols than 16 bits number are kept as they are") {
  constexpr int kWords = 70000;
  std::string text;
  for (int word = 0; word < kWords; ++word) text += std::to_string(word) + " ";
  for (const std::int64_t most : {65533, 65534, 100000}) {  // the first gives a vocabulary of 2^16
    CAPTURE(most);
    const auto vocabulary = word_tokenizer().make(text, {.vocab_size = most + 3});
    CHECK(vocabulary->size() == 3 + std::min<std::int64_t>(most, kWords));
    const TextSource source(vocabulary, 1 << 20, texts_of(text, "never"));
    CHECK((targets_of(source, Split::train, 0) == vocabulary->encode(text)));
    CHECK(targets_of(source, Split::dev, 0) == Ids{static_cast<std::int32_t>(vocabulary->size() - 1)});
  }
}

TEST_CASE("tiny Shakespeare by its characters") {
  const std::string folder = std::string(LOCKSTEP_SHARED_DIR) + "/data/tinyshakespeare";
  if (!std::filesystem::exists(folder)) {
    MESSAGE("tiny Shakespeare does not lie in ", folder, ": only texts made here were read");
    return;
  }
  const TextFiles files = find_text_files({.data_dir = folder}, "texts");
  PerSplit<std::string> texts = read_split_texts(files, character_tokenizer(), {});
  const std::string train = texts[Split::train];
  const auto vocabulary = character_tokenizer().make(train, {});
  CHECK(vocabulary->size() == 65 + 3);
  const TextSource source(vocabulary, 256, std::move(texts));
  CHECK(source.length(Split::train) + source.length(Split::dev) == 1115394);
  CHECK(source.length(Split::train) == kTrainCharacters);
  CHECK(source.count(Split::train) == (kTrainCharacters + 255) / 256);
  CHECK(source.count(Split::test) == 0);
  CHECK((vocabulary->decode(joined(source, Split::train)) == train));
  CHECK(vocabulary->decode(targets_of(source, Split::dev, 0)).starts_with("\nGREMIO:\nGood morrow, neighbour"));
}

}  // namespace lockstep
