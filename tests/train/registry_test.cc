#include "train/registry.h"

#include <doctest/doctest.h>

#include "train/training.h"

namespace lockstep {

TEST_CASE("every built-in model has a hparams set of its own name") {
  const Registry registry = builtin_registry();
  for (const std::string& model : registry.models.names()) CHECK(registry.hparams_sets.has(model));
}

TEST_CASE("--registry_help lists every name") {
  const Registry registry = builtin_registry();
  const std::string help = describe(registry);
  for (const char* name : {"image_shapes", "image_fashion_mnist", "image_mnist", "linear", "mlp", "momentum", "adam"}) {
    CHECK(help.find(name) != std::string::npos);
  }
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

}  // namespace lockstep
