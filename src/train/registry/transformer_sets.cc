#include "train/registry/transformer_sets.h"

#include "model/transformer/transformer.h"

// batch_size counts symbols of a rank, as tensor2tensor's counts tokens of a shard.
namespace lockstep {
namespace {

struct Width {
  std::int64_t hidden_size;
  std::int64_t filter_size;
  std::int64_t num_heads;
  std::int64_t num_hidden_layers;
};

HParams with_width(HParams hparams, const Width& width) {
  return hparams.set("hidden_size", width.hidden_size)
      .set("filter_size", width.filter_size)
      .set("num_heads", width.num_heads)
      .set("num_hidden_layers", width.num_hidden_layers);
}

HParams with_dropout(HParams hparams, double everywhere) {
  return hparams.set("layer_prepostprocess_dropout", everywhere)
      .set("attention_dropout", everywhere)
      .set("relu_dropout", everywhere);
}

HParams with_schedule(HParams hparams, const char* factors, double constant, std::int64_t warmup) {
  return hparams.set("learning_rate_schedule", std::string(factors))
      .set("learning_rate_constant", constant)
      .set("learning_rate_warmup_steps", warmup);
}

// tensor2tensor 1.15, models/transformer.py. Its new form of schedule does not read learning_rate, which multiplies
// ours: it is 1 here, and 0.1 and 0.2 in the older form (legacy) of versions 1 and 2.

constexpr const char* kT2tSchedule = "constant*linear_warmup*rsqrt_decay*rsqrt_hidden_size";

HParams transformer_base_v1() {
  return with_schedule(with_dropout(transformer_hparams(), 0), "legacy", 1, 4000)
      .set("layer_prepostprocess_dropout", 0.1)
      .set("layer_preprocess_sequence", std::string("none"))
      .set("layer_postprocess_sequence", std::string("dan"))
      .set("learning_rate", 0.1)
      .set("optimizer", std::string("adam"))
      .set("optimizer_adam_beta1", 0.9)
      .set("optimizer_adam_beta2", 0.98)
      .set("optimizer_adam_epsilon", 1e-9)
      .set("batch_size", std::int64_t{4096})
      .set("train_steps", std::int64_t{250000});
}

HParams transformer_base_v2() {
  return with_dropout(transformer_base_v1(), 0.1)
      .set("layer_preprocess_sequence", std::string("n"))
      .set("layer_postprocess_sequence", std::string("da"))
      .set("learning_rate", 0.2)
      .set("learning_rate_warmup_steps", std::int64_t{8000});
}

HParams transformer_base_v3() {
  return with_schedule(transformer_base_v2(), kT2tSchedule, 2, 8000)
      .set("learning_rate", 1.0)
      .set("optimizer_adam_beta2", 0.997);
}

HParams transformer_base_single_gpu() {
  return with_schedule(transformer_base_v3(), "constant*linear_warmup*rsqrt_decay", 0.1, 16000)
      .set("batch_size", std::int64_t{1024});
}

HParams transformer_big() {
  return with_width(transformer_base_v3(),
                    {.hidden_size = 1024, .filter_size = 4096, .num_heads = 16, .num_hidden_layers = 6})
      .set("batch_size", std::int64_t{2048})
      .set("layer_prepostprocess_dropout", 0.3);
}

HParams transformer_big_single_gpu() {
  return transformer_big()
      .set("layer_prepostprocess_dropout", 0.1)
      .set("learning_rate_warmup_steps", std::int64_t{16000});
}

HParams transformer_small() {
  return with_width(transformer_base_v3(),
                    {.hidden_size = 256, .filter_size = 1024, .num_heads = 4, .num_hidden_layers = 2});
}

HParams transformer_tiny() {
  return with_width(transformer_base_v3(),
                    {.hidden_size = 128, .filter_size = 512, .num_heads = 4, .num_hidden_layers = 2});
}

HParams transformer_test() {
  return with_width(transformer_base_v3(),
                    {.hidden_size = 16, .filter_size = 8, .num_heads = 2, .num_hidden_layers = 2});
}

// Language models: AdamW, a warm-up, a cosine down to a tenth of the rate.

HParams lm_set(const Width& width, std::int64_t sequence, std::int64_t sequences) {
  return with_schedule(with_width(transformer_lm_hparams(), width), "linear_warmup*cosine_after_warmup", 1, 100)
      .set("max_length", sequence)
      .set("batch_size", sequence * sequences)
      .set("optimizer", std::string("adamw"))
      .set("optimizer_adam_beta1", 0.9)
      .set("weight_decay", 0.1)
      .set("clip_grad_norm", 1.0)
      .set("learning_rate_cosine_end", 0.1);
}

// Radford et al. 2019, the smallest of its models, trained as nanoGPT's config/train_gpt2.py does. An update there has
// 480 sequences: from 40 ranks, or from fewer with more accumulated (optimizer_multistep_accumulate_steps).
HParams gpt2_set() {
  return lm_set({.hidden_size = 768, .filter_size = 3072, .num_heads = 12, .num_hidden_layers = 12}, 1024, 12)
      .set("activation", std::string("gelu_tanh"))
      .set("biases", std::string("all"))
      .set("learning_rate", 6e-4)
      .set("learning_rate_warmup_steps", std::int64_t{2000})
      .set("optimizer_adam_beta2", 0.95)
      .set("train_steps", std::int64_t{600000});
}

// nanoGPT's config/train_shakespeare_char.py, and its README's changes to it for a CPU. Nothing is dropped inside its
// feed-forward layers.
HParams nanogpt_char_set() {
  return with_dropout(
             lm_set({.hidden_size = 384, .filter_size = 1536, .num_heads = 6, .num_hidden_layers = 6}, 256, 64), 0.2)
      .set("relu_dropout", 0.0)
      .set("learning_rate", 1e-3)
      .set("optimizer_adam_beta2", 0.99)
      .set("train_steps", std::int64_t{5000});
}

HParams nanogpt_char_cpu_set() {
  return lm_set({.hidden_size = 128, .filter_size = 512, .num_heads = 4, .num_hidden_layers = 4}, 64, 12)
      .set("learning_rate", 1e-3)
      .set("optimizer_adam_beta2", 0.99)
      .set("train_steps", std::int64_t{2000});
}

// The model that bench/step and bench/compare train, as a user of PyTorch would write it.
HParams lm_bench_set() {
  return with_width(transformer_lm_hparams(),
                    {.hidden_size = 512, .filter_size = 2048, .num_heads = 8, .num_hidden_layers = 6})
      .set("biases", std::string("all"))
      .set("max_length", std::int64_t{256})
      .set("batch_size", std::int64_t{2048})
      .set("learning_rate", 1e-4)
      .set("learning_rate_schedule", std::string("constant"));
}

}  // namespace

void add_transformer_sets(Registry& registry) {
  auto& sets = registry.hparams_sets;
  sets.add("transformer_base_v1", "6 layers of 512, norms after the layers, as first published", transformer_base_v1);
  sets.add("transformer_base_v2", "norms before the layers, dropout in them too, more warm-up", transformer_base_v2);
  sets.add("transformer_base_v3", "the same with a schedule of factors", transformer_base_v3);
  sets.add("transformer_base", "transformer_base_v3", transformer_base_v3);
  sets.add("transformer", "transformer_base_v3", transformer_base_v3);
  sets.add("transformer_base_single_gpu", "transformer_base for 1024 symbols a batch", transformer_base_single_gpu);
  sets.add("transformer_big", "6 layers of 1024, dropout 0.3", transformer_big);
  sets.add("transformer_big_single_gpu", "transformer_big with dropout 0.1 and more warm-up",
           transformer_big_single_gpu);
  sets.add("transformer_small", "2 layers of 256", transformer_small);
  sets.add("transformer_tiny", "2 layers of 128", transformer_tiny);
  sets.add("transformer_test", "2 layers of 16, for tests", transformer_test);

  sets.add("gpt2", "transformer_lm of 124 million parameters: 12 layers of 768, 1024 symbols", gpt2_set);
  sets.add("nanogpt_char", "6 layers of 384, 256 characters, dropout 0.2", nanogpt_char_set);
  sets.add("nanogpt_char_cpu", "4 layers of 128, 64 characters", nanogpt_char_cpu_set);
  sets.add("transformer_lm", "nanogpt_char_cpu", nanogpt_char_cpu_set);
  sets.add("lm_bench", "6 layers of 512, 256 symbols: what bench/step measures", lm_bench_set);
}

}  // namespace lockstep
