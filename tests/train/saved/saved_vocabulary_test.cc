#include "train/saved/saved_vocabulary.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <string>

#include "checkpoint/shape_json.h"
#include "data/sequences/symbol_texts.h"
#include "support/check_error.h"
#include "train/registry/registry.h"

namespace lockstep {
namespace {

CheckpointHeader header_of(const std::string& vocabulary, std::int64_t symbols) {
  return {.shape = shape_to_json({.sample = ProblemShape::Sample::sequence,
                                  .input = {},
                                  .outputs = symbols,
                                  .input_type = DType::int32,
                                  .vocabulary = symbols,
                                  .vocabulary_digest = vocabulary_digest(vocabulary)}),
          .vocabulary = vocabulary,
          .hparams = "{}"};
}

}  // namespace

TEST_CASE("a checkpoint's tokenizer is made from its vocabulary, and gives the texts of its symbols") {
  const Registry registry = builtin_registry();
  const auto tokenizer_of = [&](const std::string& vocabulary, std::int64_t symbols) {
    return saved_tokenizer("a.h5", header_of(vocabulary, symbols), registry.tokenizers);
  };
  const TokenizerPointer words = tokenizer_of(R"({"unit":"word","words":["the","cat"]})", 5);
  REQUIRE(words != nullptr);
  const std::vector<std::string> expected{"<pad>", "<end>", "the", "cat", "<unk>"};
  CHECK(symbol_texts(words.get()).texts == expected);
  CHECK(tokenizer_of("", 5) == nullptr);

  const auto refused = [&](const std::string& vocabulary, std::initializer_list<std::string> parts) {
    check_error(ExitCode::bad_data, parts, [&] { tokenizer_of(vocabulary, 7); });
    check_error(ExitCode::bad_data, {"'a.h5': its vocabulary"}, [&] { tokenizer_of(vocabulary, 7); });
  };
  refused(R"({"unit":"rune"})", {"cannot be read: unit", "--usr_lib"});
  refused(R"({"unit":"character"})", {"cannot be read", "characters"});
  refused(R"({"unit":"character","characters":"abcde"})", {"has 8 symbols, and its model 7", "damaged"});
}

TEST_CASE("a checkpoint whose run had a tokenizer of its own needs that, with or without a vocabulary") {
  const Registry registry = builtin_registry();
  CheckpointHeader header = header_of(R"({"unit":"rune"})", 7);
  for (const char* vocabulary : {R"({"unit":"rune"})", R"({"unit":"byte"})", ""}) {
    header.vocabulary = vocabulary;
    header.hparams = R"({"max_length":16,"text_unit":"rune"})";
    check_error(
        ExitCode::configuration,
        {"'a.h5' is a checkpoint of tokenizer 'rune', which is none of those here; give the --usr_lib of its run"},
        [&] { saved_tokenizer("a.h5", header, registry.tokenizers); });
  }
  for (const char* hparams : {"{}", R"({"text_unit":"word"})", R"({"text_unit":7})"}) {
    header.hparams = hparams;
    CHECK(saved_tokenizer("a.h5", header, registry.tokenizers) == nullptr);
  }
}

}  // namespace lockstep
