#include "train/registry/hparams_sets.h"

#include <doctest/doctest.h>

#include <string>

#include "base/hparams_json.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

// Hyperparameters that every set has.
constexpr const char* kDefaults = R"({
  "augment_flip": false, "augment_shift": 0, "batch_size": 128, "clip_grad_norm": 0.0, "label_smoothing": 0.0,
  "learning_rate": 0.001, "learning_rate_constant": 1.0, "learning_rate_cosine_end": 0.0,
  "learning_rate_decay_rate": 0.1, "learning_rate_decay_staircase": false, "learning_rate_decay_steps": 5000,
  "learning_rate_reference_batch": 0, "learning_rate_root_of_workers": false,
  "learning_rate_schedule": "constant*linear_warmup*cosine",
  "learning_rate_warmup_steps": 0, "length_bucket_step": 1.1, "loss": "auto", "max_length": 256,
  "min_length_bucket": 8, "normalize_inputs": false, "num_classes": 0,
  "optimizer": "adam", "optimizer_adafactor_clipping_threshold": 1.0, "optimizer_adafactor_memory_exponent": 0.8,
  "optimizer_adafactor_multiply_by_parameter_scale": true, "optimizer_adagrad_epsilon": 1e-10,
  "optimizer_adam_beta1": 0.9, "optimizer_adam_beta2": 0.999, "optimizer_adam_epsilon": 1e-08,
  "optimizer_lars_trust": 0.001, "optimizer_momentum_momentum": 0.9, "optimizer_momentum_nesterov": false,
  "optimizer_multistep_accumulate_steps": 1, "optimizer_rmsprop_decay": 0.9, "optimizer_rmsprop_epsilon": 1e-08,
  "text_unit": "character", "train_steps": 1000, "vocab_size": 0, "weight_decay": 0.0
})";

// Returns a complete set: kDefaults with these changes.
std::string expected_set(const std::string& changes) {
  HParams hparams = hparams_from_json(kDefaults, "kDefaults").hparams;
  return hparams_to_json(hparams.set(hparams_from_json(changes, "changes").hparams));
}

TEST_CASE("the sets that Lockstep brings, value by value") {
  const Registry registry = builtin_registry();
  const auto set = [&](const char* name) { return hparams_to_json(hparams_set(registry, name)); };
  for (const char* model : {"convnet", "lenet", "linear", "mlp", "resnet", "transformer", "transformer_lm"}) {
    CHECK(registry.hparams_sets.has(model));
  }
  CHECK(set("linear") == expected_set("{}"));
  CHECK(set("lenet") == expected_set("{}"));
  CHECK(set("mlp") ==
        expected_set(R"({"hidden_size": 512, "num_hidden_layers": 2, "activation": "relu", "dropout": 0.1})"));
  CHECK(set("convnet") == expected_set(R"({"num_blocks": 3, "num_filters": 32, "kernel_size": 3, "padding": "same",
    "hidden_size": 128, "dropout": 0.3, "normalize_inputs": true, "optimizer": "adamw", "learning_rate": 0.002,
    "weight_decay": 0.05})"));
  CHECK(set("resnet") == expected_set(R"({"num_stages": 3, "num_blocks": 2, "num_filters": 16, "norm_groups": 8,
    "dropout": 0.0})"));
}

TEST_CASE("hparams come from the set that is named, or from the model's own") {
  const Registry registry = builtin_registry();
  TrainSettings settings;
  CHECK(resolve_hparams(settings, registry).integer("hidden_size") == 512);
  settings.hparams = "hidden_size=16";
  CHECK(resolve_hparams(settings, registry).integer("hidden_size") == 16);
  settings.hparams_set = "linear";
  CHECK_THROWS_AS(resolve_hparams(settings, registry), Error);  // linear has no hidden_size
  settings.hparams_set = "mlpp";
  CHECK_THROWS_WITH_AS(resolve_hparams(settings, registry), doctest::Contains("did you mean 'mlp'"), Error);
}

TEST_CASE("an override by another program's name says what it is here") {
  const Registry registry = builtin_registry();
  TrainSettings settings;
  settings.model = "transformer_lm";
  settings.hparams = "learning_rate=0.1,block_size=64";
  CHECK_THROWS_WITH_AS(resolve_hparams(settings, registry),
                       "--hparams: block_size is max_length here: --hparams=max_length=64", Error);
  settings.hparams = "n_layer = 6";
  CHECK_THROWS_WITH_AS(resolve_hparams(settings, registry),
                       "--hparams: n_layer is num_hidden_layers here: --hparams=num_hidden_layers=6", Error);
  settings.model = "mlp";
  settings.hparams = "n_head=6";  // the set has no such hparam
  CHECK_THROWS_WITH_AS(resolve_hparams(settings, registry), doctest::Contains("unknown hyperparameter 'n_head'"),
                       Error);
}

TEST_CASE("a set of a user's changes and adds to the defaults") {
  Registry registry = builtin_registry();
  registry.hparams_sets.add("mine", "", [] {
    return HParams().set("number", std::int64_t{7}).set("learning_rate", 0.25).set("optimizer", std::string("lars"));
  });
  CHECK(hparams_to_json(hparams_set(registry, "mine")) ==
        expected_set(R"({"number": 7, "learning_rate": 0.25, "optimizer": "lars"})"));
}

TEST_CASE("the hparams of a user's strategy are in every set as well") {
  Registry registry = builtin_registry();
  registry.strategies.add("gossip", "",
                          {.make = {}, .hparams = HParams().set("strategy_gossip_peers", std::int64_t{2})});
  TrainSettings settings;
  settings.hparams = "strategy_gossip_peers=3";
  CHECK(resolve_hparams(settings, registry).integer("strategy_gossip_peers") == 3);
}

TEST_CASE("the hparams of a user's optimizer are in every set, and --hparams changes them") {
  Registry registry = builtin_registry();
  registry.optimizers.add("lion", "", {HParams().set("weight_decay", 0.0).set("optimizer_lion_beta", 0.99), {}});
  TrainSettings settings;
  CHECK(resolve_hparams(settings, registry).number("optimizer_lion_beta") == 0.99);
  settings.hparams = "optimizer_lion_beta=0.5";
  CHECK(resolve_hparams(settings, registry).number("optimizer_lion_beta") == 0.5);
  settings.hparams_set = "linear";
  CHECK(resolve_hparams(settings, registry).number("optimizer_lion_beta") == 0.5);
}

TEST_CASE("an optimizer whose default differs from another part's is refused by name") {
  for (const char* hparam : {"weight_decay", "learning_rate", "optimizer_adam_beta1"}) {
    Registry registry = builtin_registry();
    registry.optimizers.add("lion", "", {HParams().set(hparam, 0.75), {}});
    check_error(ExitCode::configuration, {"optimizer 'lion'", hparam, "optimizer_lion_"},
                [&] { default_hparams(registry); });
  }
}

}  // namespace
}  // namespace lockstep
