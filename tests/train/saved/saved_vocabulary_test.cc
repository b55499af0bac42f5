#include "train/saved/saved_vocabulary.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checkpoint/shape_json.h"
#include "data/forwarding_problem.h"
#include "data/sequences/symbol_texts.h"
#include "support/check_error.h"
#include "train/registry/registry.h"
#include "train/train_rank.h"

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

// A tokenizer of so many symbols, none of which a text has.
class OfSize final : public Tokenizer {
 public:
  OfSize(const TokenizerKind& kind, std::int64_t size) : Tokenizer(kind), size_(size) {}
  std::int64_t size() const override { return size_; }
  std::optional<std::int32_t> unknown() const override { return std::nullopt; }
  std::string decode(std::span<const std::int32_t> /*symbols*/) const override { return ""; }

 private:
  bool take_piece(std::string_view& /*text*/, std::vector<std::int32_t>& /*symbols*/) const override { return false; }
  Json::Object to_members() const override { return {{"size", size_}}; }

  std::int64_t size_;
};

TokenizerKind of_size_kind() {
  TokenizerKind kind = byte_tokenizer();
  kind.name = "of_size";
  return kind;
}

// A problem of sequences whose tokenizer has so many symbols more than the sequences.
class WithTokenizer final : public ForwardingProblem {
 public:
  WithTokenizer(std::unique_ptr<Problem> sequences, std::int64_t more) : ForwardingProblem(std::move(sequences)) {
    tokenizer_ = std::make_shared<OfSize>(of_size_kind(), inner().shape().vocabulary + more);
  }
  ProblemShape shape() const override {
    ProblemShape shape = inner().shape();
    shape.vocabulary_digest = tokenizer_->digest();
    return shape;
  }
  TokenizerPointer tokenizer() const override { return tokenizer_; }

 private:
  TokenizerPointer tokenizer_;
};

// The built-in registry with the problems `fits` and `larger`, named for their tokenizers.
Registry registry_with_tokenizers() {
  Registry registry = builtin_registry();
  const auto problem = [](std::int64_t more) {
    return [more](const ProblemOptions& options) {
      return std::make_unique<WithTokenizer>(builtin_registry().problems.find("algorithmic_reverse_binary40")(options),
                                             more);
    };
  };
  registry.problems.add("fits", "", {problem(0), "transformer"});
  registry.problems.add("larger", "", {problem(1), "transformer"});
  return registry;
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

TEST_CASE("a run whose checkpoints could not be read again is refused before its first step") {
  Registry registry = registry_with_tokenizers();
  TrainSettings settings;
  settings.model = "transformer";
  settings.hparams_set = "transformer_test";
  settings.train_steps = 1;
  settings.global_batch_size = 300;
  settings.eval_steps = 1;
  settings.problem = "fits";
  check_error(ExitCode::configuration, {"tokenizer of problem fits", "kind 'of_size'", "registry.tokenizers.add()"},
              [&] { train_alone(settings, registry); });
  registry.tokenizers.add("of_size", "", of_size_kind());
  CHECK(train_alone(settings, registry).outcome.step == 1);
  settings.problem = "larger";
  check_error(ExitCode::internal, {"a tokenizer of another size"}, [&] { train_alone(settings, registry); });
}

}  // namespace lockstep
