#include "train/registry.h"

#include <doctest/doctest.h>

#include "base/durable_file.h"
#include "base/hparams_json.h"
#include "base/json.h"
#include "checkpoint/decoder.h"
#include "checkpoint/encoder.h"
#include "checkpoint/shape_json.h"
#include "data/sequences/sequence_sides.h"
#include "support/temporary_folder.h"
#include "train/hparams_sets.h"

namespace lockstep {
namespace {

// Saves the initial state of a model, without a run.
void save(const std::string& path, const std::string& name, const HParams& hparams, const ProblemShape& shape,
          const ParameterTable& table) {
  const std::vector<float> values(static_cast<std::size_t>(table.padded_count()), 0.5F);
  const CheckpointHeader header{.model = name,
                                .problem = "not here",
                                .shape = shape_to_json(shape),
                                .hparams = hparams_to_json(hparams),
                                .config = "{}"};
  replace_file(path, EncodedCheckpoint(header, {.table = &table}, {.parameters = values}).bytes());
}

}  // namespace

TEST_CASE("every built-in model has a hparams set of its own name") {
  const Registry registry = builtin_registry();
  for (const std::string& model : registry.models.names()) CHECK(registry.hparams_sets.has(model));
}

TEST_CASE("every built-in model can be made again from its checkpoint alone, without the training data") {
  const Registry registry = builtin_registry();
  const TemporaryFolder folder;
  const std::string path = folder / "model.ckpt-0.h5";
  for (const std::string& name : registry.models.names()) {
    for (const bool normalised : {false, true}) {
      CAPTURE(name);
      ProblemShape shape{.input = {28, 28, 2}, .target = ProblemShape::Target::class_label, .outputs = 7};
      shape.normalised = normalised;
      if (normalised) shape.input_mean = shape.input_stddev = {0.25, 0.5};
      const HParams hparams = hparams_set(registry, name);
      const auto trained = registry.models.find(name)(hparams, shape);
      save(path, name, hparams, shape, trained->table());

      const CheckpointDecoder reader(path);
      const CheckpointHeader& header = reader.header();
      const auto again = registry.models.find(header.model)(hparam_values(parse_json(header.hparams), "hparams"),
                                                            shape_from_json(header.shape));
      REQUIRE(again->table().variables().size() == trained->table().variables().size());
      for (std::size_t i = 0; i < trained->table().variables().size(); ++i) {
        const Variable& expected = trained->table().variables()[i];
        const Variable& variable = again->table().variables()[i];
        CHECK(variable.name == expected.name);
        CHECK(variable.shape == expected.shape);
        CHECK(variable.range == expected.range);
      }
      const StateLayout layout{.table = &again->table()};
      CHECK(std::ssize(reader.read(layout).parameters) == trained->table().padded_count());
    }
  }
}

TEST_CASE("--registry_help lists every name") {
  const Registry registry = builtin_registry();
  const std::string help = describe(registry);
  for (const char* name : {"image_shapes", "image_fashion_mnist", "image_mnist", "linear", "mlp", "momentum", "adam"}) {
    CHECK(help.find(name) != std::string::npos);
  }
}

TEST_CASE("a problem of pairs is found with each ending of its name, and listed once") {
  const Registry registry = builtin_registry();
  const std::string help = describe(registry);
  CHECK(help.find("tiny_algo  ") != std::string::npos);
  for (const std::string_view ending : kSideEndings) {
    const std::string name = "tiny_algo" + std::string(ending);
    CHECK(registry.problems.find(name)({})->shape().sample == ProblemShape::Sample::pair);
    CHECK(help.find(name) == std::string::npos);
  }
}

}  // namespace lockstep
