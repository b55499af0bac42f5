// bench/step on a fake GPU made of threads and heap memory.
#include "training.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "collective/make_communicator.h"
#include "model/layer_model.h"
#include "model/layers.h"
#include "model/transformer/transformer.h"
#include "optim/optimizers.h"
#include "support/gpu/fake_devices.h"
#include "support/ranks.h"
#include "train/registry/hparams_sets.h"

namespace lockstep::bench {
namespace {

constexpr std::int64_t kBatch = 3;
constexpr int kSplitSteps = 5;

std::unique_ptr<Optimizer> adam() { return make_adam(adam_hparams()); }

// A 3x3 convolution with 2 filters on images of 5 x 5, ReLU, pooling, linear.
Network small_convnet(const NetworkSize& /*size*/) {
  Network network;
  network.shape = {.input = {5, 5, 1}, .outputs = kClasses};
  std::vector<LayerPointer> layers;
  layers.push_back(make_convolution({.filters = 2, .padding = Padding::valid}));
  layers.push_back(make_activation(Activation::relu));
  layers.push_back(make_pooling({.stride = 1}));
  layers.push_back(make_linear(kClasses, LinearInit::he_uniform));
  network.model = std::make_unique<LayerModel>(make_sequential(std::move(layers)), network.shape);
  return network;
}

Network small_lm(const NetworkSize& size) {
  Network network;
  network.shape = {
      .sample = ProblemShape::Sample::sequence, .outputs = 11, .input_type = DType::int32, .vocabulary = 11};
  network.length = size.length;
  HParams hparams = hparams_set(builtin_registry(), "lm_bench");
  hparams.set("hidden_size", std::int64_t{8}).set("filter_size", std::int64_t{16}).set("num_heads", std::int64_t{2});
  hparams.set("num_hidden_layers", std::int64_t{1});
  network.model = make_transformer_lm(hparams, network.shape);
  return network;
}

constexpr ModelKind kSmallConvnet{"small_convnet", small_convnet, adam, 1, kBatch, 0};
constexpr ModelKind kSmallLm{"small_lm", small_lm, adam, 1, kBatch, 7};

StepOptions options_of(const ModelKind& model, bool cuda_graph) {
  return {.model = &model,
          .device = "cuda",
          .collective = "auto",
          .batch = model.batch,
          .length = model.length,
          .rounds = 1,
          .groups = 1,
          .seconds = {},
          .precision = DType::float32,
          .cuda_graph = cuda_graph,
          .uncoupled = false,
          .shard_optimizer = false,
          .json = true};
}

// Runs all of bench/step's measurements on each rank's own backend of GPU 0, then body.
void measured(int ranks, const ModelKind& model, const std::function<void(Training&)>& body, bool cuda_graph = false) {
  for_thread_ranks(ranks, [&](RankContext& rank) {
    const auto backend = fake_devices().make(0);
    const auto gradients = connect_auto({.group = rank.communicator,
                                         .session = nullptr,
                                         .trace = rank.trace,
                                         .backend = *backend,
                                         .overlap = Overlap::inline_calls});
    {
      Training training(options_of(model, cuda_graph), *gradients, *backend, rank.communicator.rank(), rank.trace);
      training.warm_up();
      training.run_group();
      training.run_split();
      training.run_exchange();
      body(training);
    }
    gradients->close();
  });
}

std::set<std::string> rows_of(const Network& network) {
  std::set<std::string> names;
  for (const auto& row : network.times) names.insert(row->name);
  return names;
}

TEST_CASE("on a GPU every operation of a step has a row, with a time of each split step in each pass") {
  measured(1, kSmallConvnet, [](Training& training) {
    const std::set<std::string> rows = rows_of(training.network());
    for (const char* name :
         {"conv 3x3 1-2 5x5", "activation", "pooling", "10x8x3", "loss", "copies", "gradient norm", "optimizer"}) {
      CHECK_MESSAGE(rows.contains(name), name);
    }
    for (const auto& row : training.network().times) {
      CHECK(row->multiplies == (row->name == "conv 3x3 1-2 5x5" || row->name == "10x8x3"));
      CHECK(row->forward_us.size() == kSplitSteps);
      CHECK(row->backward_us.size() == kSplitSteps);
      CHECK(row->update_us.size() == kSplitSteps);
    }
  });
}

TEST_CASE("flop counts products and convolutions of both passes, and memory what is held for them") {
  measured(1, kSmallConvnet, [](Training& training) {
    const StepTimes& times = training.times();
    CHECK(times.step_us.size() == 1);
    // The gradient of the images is not needed: two convolutions of 3 x 3 results, nine factors each; three products.
    const double convolution = 2.0 * kBatch * 9 * 2 * 9;
    const double product = 2.0 * kBatch * 8 * kClasses;
    CHECK(times.flop == 2 * convolution + 3 * product);
    // Values, gradients and the two moments of Adam.
    constexpr std::int64_t kParameters = (9 * 2 + 2) + (8 * kClasses + kClasses);
    CHECK(times.memory >= 4 * kParameters * std::int64_t{sizeof(float)});
  });
}

TEST_CASE("the JSON of a GPU has the gap between a step and its operations, and no floor") {
  measured(1, kSmallLm, [](Training& training) {
    const Json json = parse_json(step_json(training.times(), training.network()));
    CHECK(*json.find("device")->as<std::string>() == "cuda:0");
    CHECK(*json.find("length")->as<std::int64_t>() == 7);
    for (const char* name : {"operations_us", "products_us", "launch_gap_us", "exchange_us", "flop", "memory_bytes"}) {
      CHECK_MESSAGE(json.find(name) != nullptr, name);
    }
    CHECK(json.find("floor_us") == nullptr);
    CHECK(step_table(training.times(), training.network()).find("launch gaps") != std::string::npos);
    CHECK(rows_of(training.network()).contains("attention"));
  });
}

TEST_CASE("steps as graphs are measured, and their operations by themselves as without") {
  const auto check = [](Training& training) {
    const Json json = parse_json(step_json(training.times(), training.network()));
    CHECK(*json.find("cuda_graph")->as<bool>());
    CHECK(*json.find("step_us_best")->as<double>() > 0);
    CHECK(*json.find("operations_us")->as<double>() > 0);
  };
  measured(1, kSmallLm, check, true);
}

TEST_CASE("ranks that share a GPU measure together, and what their sums take") {
  measured(2, kSmallLm, [](Training& training) {
    const StepTimes& times = training.times();
    CHECK(times.ranks == 2);
    CHECK(times.collective.find("through the host") != std::string::npos);
    CHECK(times.exchange_us.size() == 10);
  });
}

}  // namespace
}  // namespace lockstep::bench
