#include <doctest/doctest.h>

#include <string>

#include "model/transformer/transformer.h"
#include "sequence_batch.h"
#include "support/reference_cases.h"

namespace lockstep {
namespace {

constexpr const char* kTiny = "hidden_size=128,filter_size=512,num_heads=4,num_hidden_layers=2";
constexpr const char* kSmall = "hidden_size=256,filter_size=1024,num_heads=4,num_hidden_layers=2";
constexpr const char* kBig = "hidden_size=1024,filter_size=4096,num_heads=16,num_hidden_layers=6";

HParams with(HParams hparams, std::string_view changes) {
  hparams.parse(changes);
  return hparams;
}

std::int64_t lm_count(std::string_view changes, std::int64_t vocabulary) {
  return make_transformer_lm(with(transformer_lm_hparams(), changes),
                             sequence_shape(ProblemShape::Sample::sequence, vocabulary))
      ->table()
      .parameter_count();
}

// Counts the elements of variables whose names begin with prefix.
std::int64_t count_of(const ParameterTable& table, std::string_view prefix) {
  std::int64_t count = 0;
  for (const Variable& variable : table.variables()) {
    if (variable.name.starts_with(prefix)) count += variable.shape.elements();
  }
  return count;
}

void check_counts(const Json& expected, std::string_view changes, std::int64_t vocabulary) {
  CAPTURE(changes);
  const auto count = [&](const char* part) { return *expected.find(part)->as<std::int64_t>(); };
  const auto model =
      make_transformer(with(transformer_hparams(), changes), sequence_shape(ProblemShape::Sample::pair, vocabulary));
  const ParameterTable& table = model->table();
  CHECK(table.parameter_count() == count("total"));
  CHECK(count_of(table, "symbols/") == count("embedding"));
  CHECK(count_of(table, "encoder/target_space/") == count("target_space"));
  CHECK(count_of(table, "encoder/layer_") == count("encoder"));
  CHECK(count_of(table, "decoder/layer_") == count("decoder"));
  CHECK(count_of(table, "encoder/norm/") + count_of(table, "decoder/norm/") == count("final_norms"));
}

}  // namespace

TEST_CASE("a transformer has as many parameters as tensor2tensor's, part by part") {
  const std::optional<Json> all = reference_cases("t2t_numeric_golden.json");
  if (!all) return;
  const Json& counts = *all->find("parameter_counts");
  check_counts(*counts.find("tiny_V12(identity_decimal40)"), kTiny, 12);
  check_counts(*counts.find("tiny_V33708"), kTiny, 33708);
  check_counts(*counts.find("small_V33708"), kSmall, 33708);
  check_counts(*counts.find("base_V33708"), "", 33708);
  check_counts(*counts.find("big_V33708"), kBig, 33708);
}

TEST_CASE("the language model can be GPT-2 and nanoGPT's two models of characters") {
  CHECK(lm_count("hidden_size=768,filter_size=3072,num_heads=12,num_hidden_layers=12,max_length=1024,biases=all,"
                 "activation=gelu_tanh",
                 50257) == 124'439'808);
  // d (V + positions) + layers (12 d^2 + 2 d) + d
  CHECK(lm_count("", 65) == 128 * (65 + 64) + 4 * (12 * 128 * 128 + 2 * 128) + 128);
  CHECK(lm_count("hidden_size=384,filter_size=1536,num_heads=6,num_hidden_layers=6,max_length=256", 65) ==
        384 * (65 + 256) + 6 * (12 * 384 * 384 + 2 * 384) + 384);
}

}  // namespace lockstep
