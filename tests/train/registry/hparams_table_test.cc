#include "train/registry/hparams_table.h"

#include <doctest/doctest.h>

#include <sstream>

#include "train/registry/hparam_help.h"
#include "train/registry/hparams_sets.h"

namespace lockstep {
namespace {

std::string table_of(const std::string& model, const std::string& hparams = "") {
  const Registry registry = builtin_registry();
  TrainSettings settings;
  settings.model = model;
  settings.hparams = hparams;
  return hparams_table(settings, resolve_hparams(settings, registry), registry);
}

// Returns the lines about hparams that the run uses.
std::string used(const std::string& table) { return table.substr(0, table.find("\nNot used by this run:\n")); }

TEST_CASE("hparams help: every hparam of a built-in set has a line") {
  const Registry registry = builtin_registry();
  for (const std::string& set : registry.hparams_sets.names()) {
    const HParams hparams = hparams_set(registry, set);
    for (const auto& [name, value] : hparams.values()) {
      CAPTURE(name);
      CHECK_FALSE(hparam_help(name).empty());
    }
  }
  CHECK(hparam_help("no_such_hparam").empty());
}

TEST_CASE("hparams table: name, value and meaning; what the run does not use comes last") {
  const std::string table = table_of("mlp", "batch_size=7");
  CHECK(table.starts_with("Hyperparameters of model mlp, set mlp; --hparams="));
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  batch_size ")) continue;
    CHECK(line.find(" 7 ") != std::string::npos);
    CHECK(line.ends_with("  samples of a step on each rank; of sequences, tokens"));
  }
  CHECK(used(table).find("  optimizer_adam_beta1 ") != std::string::npos);
  for (const char* name : {"optimizer_lars_trust", "text_unit", "max_length"}) {
    CHECK(used(table).find(name) == std::string::npos);
    CHECK(table.find(name) != std::string::npos);
  }
}

TEST_CASE("hparams table: of a model of sequences and of another optimizer") {
  const std::string table = table_of("transformer_lm", "optimizer=momentum");
  for (const char* name : {"text_unit", "max_length", "num_heads", "optimizer_momentum_momentum"}) {
    CHECK(used(table).find(name) != std::string::npos);
  }
  for (const char* name : {"augment_flip", "optimizer_adam_beta1", "normalize_inputs"}) {
    CHECK(used(table).find(name) == std::string::npos);
  }
}

}  // namespace
}  // namespace lockstep
