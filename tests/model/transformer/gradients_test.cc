#include <doctest/doctest.h>

#include "model/gradient_check.h"
#include "model/transformer/transformer.h"
#include "sequence_batch.h"

namespace lockstep {
namespace {

constexpr double kTolerance = 1e-7;  // central differences with a step of 1e-5 in float64
constexpr std::int64_t kVocabulary = 7;

// tensor2tensor's transformer_test, with odd lengths.
HParams small(HParams hparams, std::string_view changes) {
  hparams.parse("num_hidden_layers=2,hidden_size=16,filter_size=8,num_heads=2,max_length=9");
  hparams.parse(changes);
  return hparams;
}

double lm_error(std::string_view changes) {
  const auto model = make_transformer_lm(small(transformer_lm_hparams(), changes),
                                         sequence_shape(ProblemShape::Sample::sequence, kVocabulary));
  const SequenceBatch batch({{.sample = 3, .rows = 5}, {.sample = 8, .rows = 1}, {.sample = 0, .rows = 3}},
                            kVocabulary);
  return gradient_error(*model, batch.batch);
}

double transformer_error(std::string_view changes) {
  const auto model =
      make_transformer(small(transformer_hparams(), changes), sequence_shape(ProblemShape::Sample::pair, kVocabulary));
  const SequenceBatch batch({{.sample = 3, .rows = 4, .source_rows = 3}, {.sample = 8, .rows = 1, .source_rows = 5}},
                            kVocabulary);
  return gradient_error(*model, batch.batch);
}

}  // namespace

TEST_CASE("gradients of the language model, as nanoGPT has it") { CHECK(lm_error("") < kTolerance); }

TEST_CASE("gradients of the language model with dropout, biases, GELU by tanh, and a table of its own for outputs") {
  CHECK(lm_error("layer_prepostprocess_dropout=0.2,attention_dropout=0.3,relu_dropout=0.1,biases=all,activation=gelu_"
                 "tanh,shared_embedding_and_softmax_weights=false,num_hidden_layers=1") < kTolerance);
}

TEST_CASE("gradients of the language model with norms after its layers, smoothed labels and no positions") {
  CHECK(lm_error("layer_preprocess_sequence=none,layer_postprocess_sequence=dan,label_smoothing=0.2,pos=none,num_"
                 "hidden_layers=1,layer_prepostprocess_dropout=0.2") < kTolerance);
}

TEST_CASE("gradients of tensor2tensor's transformer_test") { CHECK(transformer_error("") < kTolerance); }

TEST_CASE("gradients of a transformer as in version 1, with tables of its own and learned positions") {
  CHECK(transformer_error("num_encoder_layers=1,num_decoder_layers=1,layer_preprocess_sequence=none,layer_postprocess_"
                          "sequence=dan,shared_embedding_and_softmax_weights=false,pos=emb,biases=all,initializer=gpt2,"
                          "multiply_embedding_mode=none,activation=gelu") < kTolerance);
}

}  // namespace lockstep
