#include "train/registry/transformer_sets.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "optim/schedule.h"
#include "support/reference_cases.h"
#include "train/registry/hparams_sets.h"

namespace lockstep {
namespace {

double number(const Json& json) {
  if (const auto* integer = json.as<std::int64_t>()) return static_cast<double>(*integer);
  return *json.as<double>();
}

// Returns the reference values' name of a tensor2tensor set, which has two names for this one.
std::string set_name(const std::string& name) { return name == "transformer_base(v3)" ? "transformer_base" : name; }

// legacy counts steps from 1, as tensor2tensor's does; its other factors count from 0, so its first step has the rate
// 0, and our first step has the rate of its second one (optim/schedule_factors.h).
TEST_CASE("transformer sets: tensor2tensor's learning rates") {
  const std::optional<Json> all = reference_cases("t2t_numeric_golden.json");
  if (!all) return;
  const Registry registry = builtin_registry();
  int compared = 0;
  for (const auto& [name, rates] : *all->find("learning_rate")->find("values")->as<Json::Object>()) {
    CAPTURE(name);
    const HParams hparams = hparams_set(registry, set_name(name));
    const Schedule schedule(hparams, {.train_steps = 300000});
    const std::int64_t first = hparams.text("learning_rate_schedule") == "legacy" ? 1 : 0;
    for (const auto& [step, rate] : *rates.as<Json::Object>()) {
      CAPTURE(step);
      CHECK(schedule.at(std::stoll(step) + first) == doctest::Approx(number(rate)).epsilon(1e-12));
      ++compared;
    }
  }
  CHECK(compared == 80);
}

TEST_CASE("transformer sets: tensor2tensor's values") {
  const Registry registry = builtin_registry();
  struct Values {
    std::int64_t hidden_size, filter_size, num_heads, num_hidden_layers, batch_size;
    double beta2, prepostprocess_dropout, inner_dropout;
  };
  const std::map<std::string, Values> sets{
      {"transformer_base_v1", {512, 2048, 8, 6, 4096, 0.98, 0.1, 0}},
      {"transformer_base_v2", {512, 2048, 8, 6, 4096, 0.98, 0.1, 0.1}},
      {"transformer_base_v3", {512, 2048, 8, 6, 4096, 0.997, 0.1, 0.1}},
      {"transformer_base", {512, 2048, 8, 6, 4096, 0.997, 0.1, 0.1}},
      {"transformer_base_single_gpu", {512, 2048, 8, 6, 1024, 0.997, 0.1, 0.1}},
      {"transformer_big", {1024, 4096, 16, 6, 2048, 0.997, 0.3, 0.1}},
      {"transformer_big_single_gpu", {1024, 4096, 16, 6, 2048, 0.997, 0.1, 0.1}},
      {"transformer_small", {256, 1024, 4, 2, 4096, 0.997, 0.1, 0.1}},
      {"transformer_tiny", {128, 512, 4, 2, 4096, 0.997, 0.1, 0.1}},
      {"transformer_test", {16, 8, 2, 2, 4096, 0.997, 0.1, 0.1}},
  };
  for (const auto& [name, values] : sets) {
    CAPTURE(name);
    const HParams hparams = hparams_set(registry, name);
    const bool after = name == "transformer_base_v1";
    CHECK(hparams.integer("hidden_size") == values.hidden_size);
    CHECK(hparams.integer("filter_size") == values.filter_size);
    CHECK(hparams.integer("num_heads") == values.num_heads);
    CHECK(hparams.integer("num_hidden_layers") == values.num_hidden_layers);
    CHECK(hparams.integer("batch_size") == values.batch_size);
    CHECK(hparams.number("optimizer_adam_beta2") == values.beta2);
    CHECK(hparams.number("layer_prepostprocess_dropout") == values.prepostprocess_dropout);
    CHECK(hparams.number("attention_dropout") == values.inner_dropout);
    CHECK(hparams.number("relu_dropout") == values.inner_dropout);
    CHECK(hparams.text("layer_preprocess_sequence") == (after ? "none" : "n"));
    CHECK(hparams.text("layer_postprocess_sequence") == (after ? "dan" : "da"));
    CHECK(hparams.text("optimizer") == "adam");
    CHECK(hparams.number("optimizer_adam_beta1") == 0.9);
    CHECK(hparams.number("optimizer_adam_epsilon") == 1e-9);
    CHECK(hparams.number("label_smoothing") == 0.1);
    CHECK(hparams.number("clip_grad_norm") == 0);
    CHECK(hparams.number("weight_decay") == 0);
    CHECK(hparams.number("norm_epsilon") == 1e-6);
    CHECK(hparams.integer("max_length") == 256);
    CHECK(hparams.integer("min_length_bucket") == 8);
    CHECK(hparams.number("length_bucket_step") == 1.1);
    CHECK(hparams.text("pos") == "timing");
    CHECK(hparams.text("multiply_embedding_mode") == "sqrt_depth");
    CHECK(hparams.boolean("shared_embedding_and_softmax_weights"));
  }
}

TEST_CASE("sets of language models: nanoGPT's batches, and its rates") {
  const Registry registry = builtin_registry();
  const struct {
    const char* name;
    std::int64_t sequence, sequences, warmup;
    double rate;
  } sets[] = {
      {"gpt2", 1024, 12, 2000, 6e-4}, {"nanogpt_char", 256, 64, 100, 1e-3}, {"nanogpt_char_cpu", 64, 12, 100, 1e-3}};
  for (const auto& set : sets) {
    CAPTURE(set.name);
    const HParams hparams = hparams_set(registry, set.name);
    CHECK(hparams.integer("max_length") == set.sequence);
    CHECK(hparams.integer("batch_size") == set.sequence * set.sequences);
    CHECK(hparams.number("relu_dropout") == 0);
    // Formula of nanoGPT, train.py, get_lr().
    const std::int64_t steps = hparams.integer("train_steps");
    const Schedule schedule(hparams, {.train_steps = steps});
    const auto expected = [&](std::int64_t done) {
      if (done < set.warmup) return set.rate * static_cast<double>(done + 1) / static_cast<double>(set.warmup);
      const double part = static_cast<double>(done - set.warmup) / static_cast<double>(steps - set.warmup);
      return set.rate * (0.1 + 0.9 * 0.5 * (1 + std::cos(std::acos(-1.0) * part)));
    };
    for (std::int64_t step = 1; step <= steps; step += steps / 500) {
      CHECK(schedule.at(step) == doctest::Approx(expected(step - 1)).epsilon(1e-12));
    }
    CHECK(schedule.at(steps + 1) == doctest::Approx(0.1 * set.rate));
  }
}

}  // namespace
}  // namespace lockstep
