#include "model/transformer/transformer.h"

namespace lockstep {

HParams transformer_hparams() {
  return HParams()
      .set("hidden_size", std::int64_t{512})
      .set("filter_size", std::int64_t{2048})
      .set("num_heads", std::int64_t{8})
      .set("num_hidden_layers", std::int64_t{6})
      .set("num_encoder_layers", std::int64_t{0})
      .set("num_decoder_layers", std::int64_t{0})
      .set("layer_preprocess_sequence", std::string("n"))
      .set("layer_postprocess_sequence", std::string("da"))
      .set("layer_prepostprocess_dropout", 0.1)
      .set("attention_dropout", 0.1)
      .set("relu_dropout", 0.1)
      .set("norm_epsilon", 1e-6)
      .set("label_smoothing", 0.1)
      .set("shared_embedding_and_softmax_weights", true)
      .set("multiply_embedding_mode", std::string("sqrt_depth"))
      .set("pos", std::string("timing"))
      .set("max_length", std::int64_t{256})
      .set("initializer", std::string("uniform_unit_scaling"))
      .set("activation", std::string("relu"))
      .set("biases", std::string("feed_forward"));
}

// nanoGPT's config/train_shakespeare_char.py, with its advice for a processor.
HParams transformer_lm_hparams() {
  return transformer_hparams()
      .set("hidden_size", std::int64_t{128})
      .set("filter_size", std::int64_t{512})
      .set("num_heads", std::int64_t{4})
      .set("num_hidden_layers", std::int64_t{4})
      .set("layer_prepostprocess_dropout", 0.0)
      .set("attention_dropout", 0.0)
      .set("relu_dropout", 0.0)
      .set("norm_epsilon", 1e-5)
      .set("label_smoothing", 0.0)
      .set("multiply_embedding_mode", std::string("none"))
      .set("pos", std::string("emb"))
      .set("max_length", std::int64_t{64})
      .set("initializer", std::string("gpt2"))
      .set("activation", std::string("gelu"))
      .set("biases", std::string("none"));
}

}  // namespace lockstep
