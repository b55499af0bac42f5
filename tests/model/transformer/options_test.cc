#include "model/transformer/transformer_options.h"

#include <doctest/doctest.h>

#include <cmath>

#include "model/transformer/transformer.h"
#include "sequence_batch.h"

namespace lockstep {
namespace {

TransformerOptions options_with(std::string_view changes) {
  HParams hparams = transformer_hparams();
  hparams.parse(changes);
  return transformer_options(hparams);
}

TEST_CASE("each side has num_hidden_layers unless it has a number of its own") {
  const TransformerOptions options = options_with("num_hidden_layers=3,num_decoder_layers=5");
  CHECK(options.encoder_layers == 3);
  CHECK(options.decoder_layers == 5);
}

TEST_CASE("hparams of a transformer that it does not know or that do not fit are refused by name") {
  CHECK_THROWS_WITH_AS(options_with("activation=gelu_erf"), doctest::Contains("hparam activation is 'gelu_erf'"),
                       Error);
  CHECK_THROWS_WITH_AS(options_with("pos=learned"), doctest::Contains("timing"), Error);
  CHECK_THROWS_WITH_AS(options_with("layer_preprocess_sequence=d"), doctest::Contains("layer_preprocess"), Error);
  CHECK_THROWS_WITH_AS(options_with("num_heads=7"), doctest::Contains("multiple of num_heads"), Error);
  CHECK_THROWS_WITH_AS(options_with("attention_dropout=1"), doctest::Contains("attention_dropout"), Error);
  CHECK_THROWS_WITH_AS(options_with("pos=emb,max_length=0"), doctest::Contains("max_length is 0"), Error);
  CHECK_THROWS_WITH_AS(options_with("num_hidden_layers=0"), doctest::Contains("num_hidden_layers"), Error);
}

TEST_CASE("a kernel of three parts starts as each of them would, and what is added to rows smaller with depth") {
  const TransformerOptions base = options_with("");
  CHECK(kernel_values(base, 512, 512).limit == doctest::Approx(std::sqrt(6.0 / 1024)));
  CHECK(residual_values(base, 2048, 6).limit == doctest::Approx(std::sqrt(6.0 / 2560)));
  CHECK(symbol_values(base).stddev == doctest::Approx(1 / std::sqrt(512.0)));
  CHECK(table_values(base, 32).limit == doctest::Approx(std::sqrt(6.0 / 544)));
  const TransformerOptions gpt2 = options_with("initializer=gpt2");
  CHECK(kernel_values(gpt2, 512, 512).stddev == 0.02);
  CHECK(residual_values(gpt2, 2048, 12).stddev == doctest::Approx(0.02 / std::sqrt(24.0)));
  CHECK(symbol_values(gpt2).stddev == 0.02);
}

TEST_CASE("a problem that a model of sequences is not made for is refused, with the model that is") {
  const HParams hparams = transformer_hparams();
  ProblemShape picture;
  picture.input = {28, 28, 1};
  picture.outputs = 10;
  CHECK_THROWS_WITH_AS(make_transformer(hparams, picture), doctest::Contains("--model=mlp"), Error);
  CHECK_THROWS_WITH_AS(make_transformer_lm(hparams, sequence_shape(ProblemShape::Sample::pair, 5)),
                       doctest::Contains("--model=transformer"), Error);
  CHECK_THROWS_WITH_AS(make_transformer(hparams, sequence_shape(ProblemShape::Sample::sequence, 5)),
                       doctest::Contains("--model=transformer_lm"), Error);
  HParams other = transformer_hparams();
  other.set("loss", std::string("sigmoid_cross_entropy"));
  CHECK_THROWS_WITH_AS(make_transformer(other, sequence_shape(ProblemShape::Sample::pair, 5)),
                       doctest::Contains("loss is sigmoid_cross_entropy"), Error);
}

}  // namespace
}  // namespace lockstep
