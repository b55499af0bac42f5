#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "data/problems.h"
#include "data/sequences/given_pairs.h"
#include "support/check_error.h"
#include "tensor/batch.h"
#include "text_folder.h"

namespace lockstep {
namespace {

using Ids = std::vector<std::int32_t>;

ProblemOptions options_of(const TextFolder& folder, const TokenizerKind& kind = character_tokenizer(),
                          std::int64_t max_length = 4) {
  return {.data_dir = folder.path(), .tokenizer = kind, .max_length = max_length};
}

// Options for reading one split for a checkpoint's model.
ProblemOptions known_options(const TextFolder& folder, const ProblemShape& model, const TokenizerPointer& tokenizer,
                             Split only) {
  ProblemOptions options = options_of(folder);
  options.known = model;
  options.known_tokenizer = tokenizer;
  options.only = only;
  return options;
}

std::string json_of(const Problem& problem) { return problem.tokenizer()->to_json().text(); }

}  // namespace

TEST_CASE("a text is a problem of single sequences, in windows of max_length") {
  const TextFolder folder;
  folder.write("train.txt", "abcdab");
  folder.write("dev.txt", "dcx");
  const auto problem = make_languagemodel_text(options_of(folder));  // a 2, b 3, c 4, d 5, others 6
  const ProblemShape shape = problem->shape();
  CHECK(shape.sample == ProblemShape::Sample::sequence);
  CHECK(shape.vocabulary == 7);
  CHECK(shape.outputs == 7);
  CHECK(shape.characters);
  CHECK(json_of(*problem) == R"({"unit":"character","characters":"abcd"})");
  CHECK(shape.vocabulary_digest == vocabulary_digest(json_of(*problem)));
  CHECK(problem->count(Split::train) == 2);
  CHECK(problem->count(Split::dev) == 1);
  CHECK(problem->count(Split::test) == 0);
  CHECK(pair_of(*problem, Split::train, 1).targets == Ids{2, 3});
  CHECK(pair_of(*problem, Split::train, 1).before == 5);
  CHECK(pair_of(*problem, Split::dev, 0).targets == Ids{5, 4, 6});
  REQUIRE(problem->remarks().size() == 1);
  CHECK(problem->remarks()[0].find("1 of the 3 characters of the dev split are not in") != std::string::npos);
}

TEST_CASE("vocab_size says how many symbols a text of words has, and of nothing else") {
  const TextFolder folder;
  folder.write("train.txt", "a b b c a b");
  ProblemOptions options = options_of(folder, word_tokenizer());
  options.vocab_size = 5;
  const auto problem = make_languagemodel_text(options);
  CHECK(json_of(*problem) == R"({"unit":"word","words":["b","a"]})");
  CHECK(problem->shape().vocabulary == 5);
  REQUIRE(problem->remarks().size() == 1);
  CHECK(problem->remarks()[0].find("1 of the 6 words of the train split are not in") != std::string::npos);
  options.vocab_size = 3;
  check_error(ExitCode::usage, {"vocab_size=3", "give more"}, [&] { make_languagemodel_text(options); });
  options.vocab_size = 2'000'000'000;
  check_error(ExitCode::usage, {"vocab_size=2000000000", "at most 1073741824"},
              [&] { make_languagemodel_text(options); });
  options.vocab_size = 3;
  options.tokenizer = byte_tokenizer();
  check_error(ExitCode::usage, {"vocab_size=3", "bytes", "text_unit=word"}, [&] { make_languagemodel_text(options); });
}

TEST_CASE("words are no characters, bytes are") {
  const TextFolder folder;
  folder.write("train.txt", "the cat the\n");
  const auto words = make_languagemodel_text(options_of(folder, word_tokenizer()));
  CHECK_FALSE(words->shape().characters);
  CHECK(json_of(*words) == R"({"unit":"word","words":["the","\n","cat"]})");
  const ProblemShape bytes = make_languagemodel_text(options_of(folder, byte_tokenizer()))->shape();
  CHECK_FALSE(bytes.characters);  // a character may have several bytes
  CHECK(bytes.vocabulary == 258);
}

TEST_CASE("remarks say where the dev split comes from, and what is not read") {
  const TextFolder folder;
  folder.write("all.txt", "0123456789012345678x");
  const auto cut = make_languagemodel_text(options_of(folder));
  REQUIRE(cut->remarks().size() == 1);
  CHECK(cut->remarks()[0].find("1 of the 2 characters of the dev split") != std::string::npos);
  REQUIRE(cut->notes().size() == 1);
  CHECK(cut->notes()[0].find("the last tenth of the text (2 symbols) is the dev split") != std::string::npos);
  CHECK(cut->shape().vocabulary == 10 + 3);  // from the training split alone: no x
  folder.write("train.txt", "abc");
  const auto named = make_languagemodel_text(options_of(folder));
  REQUIRE(named->remarks().size() == 1);
  CHECK(named->remarks()[0].find("not read") != std::string::npos);
  CHECK(named->remarks()[0].find("'all.txt'") != std::string::npos);

  const TextFolder tiny;
  tiny.write("all.txt", "abc");
  REQUIRE(make_languagemodel_text(options_of(tiny))->remarks().size() == 1);
  CHECK(make_languagemodel_text(options_of(tiny))->remarks()[0].find("too short") != std::string::npos);
}

TEST_CASE("a model that is known reads other text with its own vocabulary, where the training text is not") {
  const TextFolder trained;
  trained.write("train.txt", "abcd");
  const auto text = make_languagemodel_text(options_of(trained));
  const ProblemShape model = text->shape();
  const TextFolder other;
  other.write("test.txt", "dxab");
  const auto problem = make_languagemodel_text(known_options(other, model, text->tokenizer(), Split::test));
  CHECK(problem->shape() == model);
  CHECK(pair_of(*problem, Split::test, 0).targets == Ids{5, 6, 2, 3});
  REQUIRE(problem->remarks().size() == 1);
  CHECK(problem->remarks()[0].find("1 of the 4 characters of the test split") != std::string::npos);
  CHECK(problem->count(Split::train) == 0);
}

TEST_CASE("a model of something else cannot read text") {
  const TextFolder folder;
  folder.write("train.txt", "abcd");
  ProblemShape model = make_languagemodel_text(options_of(folder))->shape();
  TokenizerPointer tokenizer = byte_tokenizer().make("", {});
  const auto refused = [&](ExitCode code, std::initializer_list<std::string> parts) {
    check_error(code, parts, [&] { make_languagemodel_text(known_options(folder, model, tokenizer, Split::train)); });
  };
  refused(ExitCode::configuration, {"text_unit=character", "made for bytes"});
  tokenizer = nullptr;
  refused(ExitCode::bad_data, {"lacks its vocabulary"});
  model.vocabulary_digest = "";
  refused(ExitCode::configuration, {"not made for a text"});
}

TEST_CASE("text that gives no sequences is refused with the cure") {
  const TextFolder folder;
  folder.write("train.txt", "abcd");
  check_error(ExitCode::usage, {"max_length=0", "from 1 on"},
              [&] { make_languagemodel_text(options_of(folder, character_tokenizer(), 0)); });
  check_error(ExitCode::usage, {"languagemodel_text needs --data_dir"},
              [] { make_languagemodel_text({.max_length = 4}); });
  folder.write("train.txt", "");
  check_error(ExitCode::bad_data, {"train.txt', line 1: the file is empty"},
              [&] { make_languagemodel_text(options_of(folder)); });
  folder.write("train.txt", "ab\n\xFF");
  check_error(ExitCode::bad_data, {"train.txt', line 2", "not UTF-8"},
              [&] { make_languagemodel_text(options_of(folder)); });
}

TEST_CASE("what differs between two vocabularies is said by one symbol") {
  const auto of = [](const TokenizerKind& kind, const char* text) { return kind.make(text, {}); };
  const auto difference = [](const TokenizerPointer& there, const TokenizerPointer& here) {
    return vocabulary_difference(*there, *here);
  };
  const TokenizerKind character = character_tokenizer();
  const TokenizerKind word = word_tokenizer();
  CHECK(difference(of(character, "abc"), of(character, "abd")) ==
        "6 symbols there and 6 here, of which number 4 is 'c' there and 'd' here");
  CHECK(difference(of(character, "abc"), of(character, "ab")) ==
        "6 symbols there and 5 here, of which number 4 is 'c' there and what is none of them here");
  CHECK(difference(of(word, "a a b"), of(word, "b b a")) ==
        "5 symbols there and 5 here, of which number 2 is 'a' there and 'b' here");
  CHECK(difference(of(character, "abc"), of(byte_tokenizer(), "abc")) == "characters there and bytes here");
  CHECK(difference(of(character, "abc"), of(character, "cba")).empty());
}

TEST_CASE("reading a text can be ended, by what is called on the way") {
  struct Asked {};
  std::string text;
  while (text.size() < 2'100'000) text += "some words in a line\n";
  const TextFolder folder;
  folder.write("train.txt", text);
  for (const int patience : {0, 1, 3, 5}) {
    CAPTURE(patience);
    int calls = 0;
    const auto problem = [&] {
      return make_languagemodel_text({.data_dir = folder.path(), .max_length = 10, .while_reading = [&] {
                                        if (++calls > patience) throw Asked();
                                      }});
    };
    CHECK_THROWS_AS(problem(), Asked);
  }
}

}  // namespace lockstep
