#include "train/registry/registry.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/durable_file.h"
#include "base/hparams_json.h"
#include "base/json.h"
#include "checkpoint/decoder.h"
#include "checkpoint/encoder.h"
#include "checkpoint/shape_json.h"
#include "data/sequences/sequence_sides.h"
#include "optim/optimizer_run.h"
#include "support/temporary_folder.h"
#include "train/registry/hparams_sets.h"

namespace lockstep {
namespace {

// Saves a checkpoint of a model whose parameters are all 0.5, without a run.
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

// Shapes of images, of images that the model normalises, of single sequences and of pairs of sequences.
std::vector<ProblemShape> shapes() {
  using Sample = ProblemShape::Sample;
  ProblemShape images{.input = {28, 28, 2}, .target = ProblemShape::Target::class_label, .outputs = 7};
  std::vector<ProblemShape> all{images};
  images.normalised = true;
  images.input_mean = images.input_stddev = {0.25, 0.5};
  all.push_back(images);
  for (const Sample sample : {Sample::sequence, Sample::pair}) {
    all.push_back({.sample = sample, .outputs = 9, .input_type = DType::int32, .vocabulary = 9});
  }
  return all;
}

// Returns null if the model does not fit such a problem.
std::unique_ptr<Model> model_for(const ModelFactory& make, const HParams& hparams, const ProblemShape& shape) {
  try {
    return make(hparams, shape);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::configuration);
    return nullptr;
  }
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
    const HParams hparams = hparams_set(registry, name);
    int fitting = 0;
    for (const ProblemShape& shape : shapes()) {
      CAPTURE(name);
      const auto trained = model_for(registry.models.find(name), hparams, shape);
      if (trained == nullptr) continue;
      ++fitting;
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
    CHECK(fitting > 0);
  }
}

TEST_CASE("every built-in optimizer is one of those that the optimizers' own tests run, and the other way round") {
  std::vector<std::string> tested;
  for (const auto& [name, make] : all_optimizers()) tested.push_back(name);
  std::ranges::sort(tested);
  const std::vector<std::string> built_in = builtin_registry().optimizers.names();
  CHECK(fmt::format("{}", fmt::join(tested, " ")) == fmt::format("{}", fmt::join(built_in, " ")));
}

TEST_CASE("every built-in tokenizer decodes what it encodes, and is the same after JSON") {
  const Registry registry = builtin_registry();
  const std::string text = "\"a\" \\\n\xE2\x82\xAC a \xF0\x9F\x98\x80";  // one blank between words: others are not kept
  for (const auto& [name, named] : registry.tokenizers.entries()) {
    CAPTURE(name);
    const TokenizerPointer made = named.entry.make(text, {});
    CHECK(made->kind().name == name);
    const std::vector<std::int32_t> symbols = made->encode(text);
    CHECK(made->decode(symbols) == text);
    const TokenizerPointer read = read_tokenizer(made->to_json().text(), registry.tokenizers);
    CHECK(read->kind().name == name);
    CHECK(read->size() == made->size());
    CHECK(read->unknown() == made->unknown());
    CHECK(read->characters() == made->characters());
    CHECK(read->encode(text) == symbols);
    CHECK(read->decode(symbols) == text);
    CHECK(read->digest() == made->digest());
  }
}

TEST_CASE("--registry_help lists problems, tokenizers, models and optimizers") {
  const Registry registry = builtin_registry();
  const std::string help = describe(registry);
  for (const char* name :
       {"image_shapes", "image_fashion_mnist", "image_mnist", "word", "linear", "mlp", "momentum", "adam"}) {
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
