// --cuda_graph on a fake GPU: the bits are the same as without it.
#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collective/nccl/nccl_communicator.h"
#include "device_runs.h"
#include "model/layer_model.h"
#include "model/layers.h"
#include "support/check_error.h"
#include "support/gpu/fake_gpu.h"

namespace lockstep {
namespace {

constexpr std::size_t kMemory = std::size_t{1} << 30;

// Trains on one rank, with graphs and without.
void check_same(TrainSettings settings) {
  CAPTURE(settings.model);
  CAPTURE(settings.hparams);
  const TestRun expected = alone_on("fake", settings);
  CHECK(expected.losses.size() == static_cast<std::size_t>(*settings.train_steps));
  settings.cuda_graph = true;
  const std::int64_t before = gpu_stand_in::graphs_launched();
  const TestRun run = alone_on("fake", settings);
  CHECK(gpu_stand_in::graphs_launched() - before == 2 * (*settings.train_steps - 1));  // all steps but the first
  CHECK(run.losses == expected.losses);
  CHECK(run.outcome.parameters_sha256 == expected.outcome.parameters_sha256);
  CHECK(run.outcome.evaluation["loss"].mean == expected.outcome.evaluation["loss"].mean);
  CHECK(gpu_stand_in::memory_in_use() == 0);
}

// Trains with a GPU for each rank, over NCCL.
TestRun over_nccl(int ranks, TrainSettings settings, const Registry& registry = builtin_registry()) {
  gpu_stand_in::have_gpus(ranks, kMemory);
  Registry with_nccl = registry;
  with_nccl.communicators.add("nccl_of_threads", "for tests", [](const CommunicatorParts& parts) {
    return make_nccl_communicator(
        {.group = parts.group, .trace = parts.trace, .backend = parts.backend, .hosts = "these ranks"});
  });
  settings.collective = "nccl_of_threads";
  TestRun chiefs;
  for_thread_ranks(ranks, [&](RankContext& rank) {
    const auto backend = fake_devices().make(rank.communicator.rank());
    const TestRun run = train_rank_on(*backend, rank, settings, with_nccl);
    if (rank.communicator.rank() == 0) chiefs = run;
  });
  gpu_stand_in::have_gpus(1, kMemory);
  return chiefs;
}

// A layer that can change the rows that pass through it, or their gradients.
class Hook final : public Layer {
 public:
  using Call = std::function<void(const Tensor&, Pass&)>;

  Hook(Call forward, Call backward) : forward_(std::move(forward)), backward_(std::move(backward)) {}
  Shape declare(const Shape& input, Declaration& /*declaration*/) override { return input; }
  Tensor forward(const Tensor& input, Pass& pass) override {
    if (forward_ && pass.mode == Pass::Mode::train) forward_(input, pass);
    return input;
  }
  Tensor backward(const Tensor& output_gradient, InputGradient /*wanted*/, Pass& pass) override {
    if (backward_) backward_(output_gradient, pass);
    return output_gradient;
  }

 private:
  Call forward_;
  Call backward_;
};

// Returns the built-in registry with a model `hooked` that makes these calls in step 7.
Registry with_hook(const Hook::Call& forward, const Hook::Call& backward = {}) {
  const auto in_step = [](const Hook::Call& call) -> Hook::Call {
    if (!call) return {};
    return [call](const Tensor& rows, Pass& pass) {
      if (pass.step == 7) call(rows, pass);
    };
  };
  Registry registry = builtin_registry();
  registry.models.add("hooked", "for tests", [=](const HParams&, const ProblemShape& shape) -> std::unique_ptr<Model> {
    std::vector<LayerPointer> layers;
    layers.push_back(make_linear(12, LinearInit::he_uniform));
    layers.push_back(std::make_unique<Hook>(in_step(forward), in_step(backward)));
    layers.push_back(make_linear(shape.outputs, LinearInit::glorot_uniform));
    return std::make_unique<LayerModel>(make_sequential(std::move(layers)), shape);
  });
  registry.hparams_sets.add("hooked", "for tests", [] { return HParams(); });
  return registry;
}

TrainSettings hooked_settings() {
  TrainSettings settings = mlp_settings();
  settings.model = "hooked";
  settings.hparams = "optimizer=sgd,learning_rate=0.1,learning_rate_schedule=constant";
  settings.cuda_graph = true;
  return settings;
}

void check_refused(const TrainSettings& settings, int ranks, const char* why) {
  check_error(ExitCode::configuration, {"--cuda_graph: ", why},
              [&] { for_thread_ranks(ranks, [&](RankContext& rank) { run_on("fake", rank, settings); }); });
  CHECK(gpu_stand_in::memory_in_use() == 0);
}

}  // namespace

TEST_CASE("as graphs, steps of perceptrons and convnets give the same bits") {
  check_same(mlp_settings());
  check_same(convnet_settings());
}

TEST_CASE("as graphs, steps of Transformers with sequences of all lengths give the same bits") {
  const TemporaryFolder data;
  TrainSettings settings = language_settings(data);
  settings.eval_frequency = 6;  // allocates memory in between
  check_same(settings);
  settings.hparams += ",pos=emb,attention_dropout=0.1";
  settings.recompute = true;
  settings.precision = "bfloat16";
  check_same(settings);
  check_same(pair_settings());
}

TEST_CASE("as graphs, steps with all that an optimizer may have give the same bits") {
  for (const char* optimizer : {"adam", "lamb", "adafactor", "momentum"}) {
    TrainSettings settings = mlp_settings();
    settings.hparams = std::string(
                           "hidden_size=24,dropout=0.1,clip_grad_norm=0.5,weight_decay=0.01,"
                           "learning_rate_schedule=linear_warmup*cosine,learning_rate=0.01,optimizer=") +
                       optimizer;
    settings.ema = 0.9;
    settings.fusion_mb = 0.001;
    check_same(settings);
  }
}

TEST_CASE("as graphs, steps over NCCL give the same bits, gradients in many buckets or the optimizer divided") {
  for (const bool divided : {false, true}) {
    CAPTURE(divided);
    for (const int ranks : {2, 3}) {
      CAPTURE(ranks);
      TrainSettings settings = mlp_settings();
      settings.hparams += ",clip_grad_norm=0.5";
      settings.shard_optimizer = divided;
      settings.fusion_mb = 0.001;
      const TestRun expected = over_nccl(ranks, settings);
      settings.cuda_graph = true;
      const TestRun run = over_nccl(ranks, settings);
      CHECK(run.losses == expected.losses);
      CHECK(run.outcome.parameters_sha256 == expected.outcome.parameters_sha256);
      CHECK(gpu_stand_in::memory_in_use() == 0);
    }
  }
}

TEST_CASE("a run as graphs goes on where one without was interrupted, with its bits") {
  TrainSettings settings = mlp_settings();
  const TestRun expected = alone_on("fake", settings);
  const TemporaryFolder folder;
  settings.output_dir = folder.path();
  for (const bool graphs : {false, true}) {
    settings.cuda_graph = graphs;
    settings.train_steps = graphs ? 20 : 7;
    const TestRun run = alone_on("fake", settings);
    if (graphs) CHECK(run.outcome.parameters_sha256 == expected.outcome.parameters_sha256);
  }
}

TEST_CASE("an error while a graph is made ends the run with its own message, and leaves nothing behind") {
  const auto check_ends = [](const Hook::Call& call, std::initializer_list<std::string> parts) {
    for (const bool forward : {true, false}) {
      const Registry registry = with_hook(forward ? call : Hook::Call(), forward ? Hook::Call() : call);
      check_error(ExitCode::internal, parts, [&] { alone_on("fake", hooked_settings(), registry); });
      gpu_stand_in::find_gpus_again();
      CHECK(gpu_stand_in::memory_in_use() == 0);
      check_error(ExitCode::internal, parts, [&] { over_nccl(2, hooked_settings(), registry); });
      gpu_stand_in::find_gpus_again();
      gpu_stand_in::have_gpus(1, kMemory);
      CHECK(gpu_stand_in::memory_in_use() == 0);
    }
  };
  check_ends([](const Tensor&, Pass& pass) { pass.backend.allocator().allocate(kMemory); },
             {"out of memory on cuda:", "1024.0 MiB asked for", "a rank of this run needs about"});
  check_ends([](const Tensor&, Pass& pass) { pass.backend.synchronize(); },
             {"operation not permitted when stream is capturing"});
  check_ends([](const Tensor&, Pass&) { gpu_stand_in::lose_gpus(); }, {"the GPU is lost"});
}

TEST_CASE("as graphs, what is not finite ends the run with its step, and a gradient with its variable") {
  const Registry loss = with_hook(
      [](const Tensor& rows, Pass& pass) { pass.backend.fill(rows, std::numeric_limits<double>::infinity()); });
  const Registry gradient = with_hook(
      {}, [](const Tensor& rows, Pass& pass) { pass.backend.fill(rows, std::numeric_limits<double>::quiet_NaN()); });
  for (const int ranks : {1, 2}) {
    CAPTURE(ranks);
    const auto run = [&](const Registry& registry) {
      if (ranks == 1) alone_on("fake", hooked_settings(), registry);
      if (ranks > 1) over_nccl(ranks, hooked_settings(), registry);
    };
    check_error(ExitCode::internal, {"the loss at step 7 is not finite"}, [&] { run(loss); });
    check_error(ExitCode::internal, {"the gradient of linear_0/kernel at step 7 is not finite"},
                [&] { run(gradient); });
    gpu_stand_in::have_gpus(1, kMemory);
    CHECK(gpu_stand_in::memory_in_use() == 0);
  }
}

TEST_CASE("--cuda_graph is refused where a step cannot be a graph, with the reason") {
  TrainSettings settings = mlp_settings();
  settings.cuda_graph = true;
  check_error(ExitCode::configuration, {"--cuda_graph: cpu takes operations one by one; give --device=cuda"},
              [&] { train_alone(settings); });
  check_refused(settings, 2, "where the host takes part; it takes nccl");
  settings.hparams += ",optimizer_multistep_accumulate_steps=2";
  check_refused(settings, 1, "a rank of this run computes 2 shares in a step");
}

}  // namespace lockstep
