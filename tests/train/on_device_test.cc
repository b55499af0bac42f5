// Whole runs on a fake GPU, compared with the same runs on the CPU.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "device_runs.h"
#include "model/image_models.h"
#include "model/layer_model.h"
#include "model/layers.h"
#include "resumed_runs.h"
#include "support/check_error.h"
#include "support/gpu/fake_devices.h"
#include "support/gpu/fake_gpu.h"
#include "support/gpu/gate.h"
#include "support/temporary_folder.h"
#include "train/schedule/run_schedule.h"
#include "train_rank.h"

namespace lockstep {
namespace {

constexpr std::size_t kMemory = std::size_t{1} << 30;

void check_close(const std::vector<double>& losses, const std::vector<double>& expected) {
  REQUIRE(losses.size() == expected.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    CAPTURE(i);
    CHECK(losses[i] == doctest::Approx(expected[i]).epsilon(1e-5));
  }
}

// Trains on 1, 2 and 4 ranks, and checks for the CPU's losses.
void check_trains(const TrainSettings& settings) {
  const TestRun expected = train_alone(settings);
  REQUIRE(expected.losses.size() == static_cast<std::size_t>(*settings.train_steps));
  CHECK(expected.losses.back() < expected.losses.front());
  for (const int ranks : {1, 2, 4}) {
    CAPTURE(ranks);
    for_thread_ranks(ranks, [&](RankContext& rank) {
      const TestRun run = run_on("fake", rank, settings);
      CHECK(run.outcome.step == settings.train_steps);
      CHECK(run.outcome.evaluation["loss"].mean ==
            doctest::Approx(expected.outcome.evaluation["loss"].mean).epsilon(1e-4));
      if (rank.communicator.rank() == 0) check_close(run.losses, expected.losses);
    });
  }
  CHECK(gpu_stand_in::memory_in_use() == 0);
}

// A layer that does something to the GPU, or to its values, at one training step; 0: at each.
class AtStep final : public Layer {
 public:
  AtStep(std::int64_t step, std::function<void(const Tensor&, Pass&)> what) : step_(step), what_(std::move(what)) {}
  Shape declare(const Shape& input, Declaration& /*declaration*/) override { return input; }
  Tensor forward(const Tensor& input, Pass& pass) override {
    if (pass.mode == Pass::Mode::train && what_ && (step_ == 0 || pass.step == step_)) what_(input, pass);
    return input;
  }
  Tensor backward(const Tensor& output_gradient, InputGradient /*wanted*/, Pass& /*pass*/) override {
    return output_gradient;
  }

 private:
  std::int64_t step_;
  std::function<void(const Tensor&, Pass&)> what_;
};

// A layer whose gradients are NaN in some steps, while the loss is not.
class BrokenGradient final : public Layer {
 public:
  BrokenGradient(std::int64_t first, std::int64_t last) : first_(first), last_(last) {}
  Shape declare(const Shape& input, Declaration& /*declaration*/) override { return input; }
  Tensor forward(const Tensor& input, Pass& /*pass*/) override { return input; }
  Tensor backward(const Tensor& output_gradient, InputGradient /*wanted*/, Pass& pass) override {
    const bool breaks = first_ <= pass.step && pass.step <= last_;
    if (breaks) pass.backend.fill(output_gradient, std::numeric_limits<double>::quiet_NaN());
    return output_gradient;
  }

 private:
  std::int64_t first_;
  std::int64_t last_;
};

// Returns the built-in registry with a model `odd`, which has such a layer.
Registry with_odd_layer(const std::function<LayerPointer()>& make) {
  Registry registry = builtin_registry();
  registry.models.add("odd", "for tests", [=](const HParams&, const ProblemShape& shape) -> std::unique_ptr<Model> {
    std::vector<LayerPointer> layers;
    layers.push_back(make_linear(12, LinearInit::he_uniform));
    layers.push_back(make_activation(Activation::relu));
    layers.push_back(make());
    layers.push_back(make_linear(shape.outputs, LinearInit::glorot_uniform));
    return std::make_unique<LayerModel>(make_sequential(std::move(layers)), shape);
  });
  registry.hparams_sets.add("odd", "for tests", [] { return HParams(); });
  return registry;
}

Registry with_odd_model(std::int64_t step, const std::function<void(const Tensor&, Pass&)>& what) {
  return with_odd_layer([=] { return std::make_unique<AtStep>(step, what); });
}

TrainSettings odd_settings() {
  TrainSettings settings = mlp_settings();
  settings.model = "odd";
  settings.hparams = "optimizer=sgd,learning_rate=0.1,learning_rate_schedule=constant";
  return settings;
}

// Runs the schedule on one rank and returns its answer.
std::string do_on(const std::string& device, const TrainSettings& settings,
                  const Registry& registry = builtin_registry()) {
  std::string answer;
  for_thread_ranks(1, [&](RankContext& rank) {
    const auto backend = device == "cpu" ? make_backend({}) : fake_devices().make(0);
    Log log(0, 1, true);
    answer = run_schedule(settings, check_schedule(settings, registry), registry,
                          {.world = rank.communicator,
                           .compute = rank.communicator,
                           .backend = *backend,
                           .trace = rank.trace,
                           .log = log})
                 .answer;
  });
  return answer;
}

// Returns all numbers in a text.
std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  for (const char* at = text.c_str(); *at != '\0';) {
    char* end = nullptr;
    const double number = std::strtod(at, &end);
    if (end == at) {
      ++at;
    } else {
      numbers.push_back(number);
      at = end;
    }
  }
  return numbers;
}

std::string content_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("on a GPU a perceptron trains as on the CPU") { check_trains(mlp_settings()); }

TEST_CASE("on a GPU a convnet trains as on the CPU") { check_trains(convnet_settings()); }

TEST_CASE("on a GPU an encoder and decoder train as on the CPU") { check_trains(pair_settings()); }

TEST_CASE("on a GPU a language model trains as on the CPU") {
  const TemporaryFolder data;
  check_trains(language_settings(data));
}

TEST_CASE("on a GPU clipping, averages, several shares a rank and a divided optimizer are as on the CPU") {
  TrainSettings settings = mlp_settings();
  settings.hparams += ",clip_grad_norm=0.5,optimizer_multistep_accumulate_steps=2";
  settings.ema = 0.9;
  const TestRun expected = train_alone(settings);
  for (const bool divided : {false, true}) {
    settings.shard_optimizer = divided;
    for_thread_ranks(2, [&](RankContext& rank) {
      const TestRun run = run_on("fake", rank, settings);
      if (rank.communicator.rank() == 0) check_close(run.losses, expected.losses);
    });
  }
}

TEST_CASE("a request that comes while a step is computed is answered after that step, on a GPU as on the CPU") {
  for (const bool on_gpu : {false, true}) {
    for (const int ranks : {1, 2}) {
      CAPTURE(on_gpu);
      CAPTURE(ranks);
      std::atomic<bool> stop = false;
      const Registry registry = with_odd_model(3, [&](const Tensor&, Pass&) { stop = true; });
      for_thread_ranks(ranks, [&](RankContext& rank) {
        const auto backend = on_gpu ? fake_devices().make(0) : make_backend({});
        const TestRun run = train_rank_on(*backend, rank, odd_settings(), registry, &stop);
        CHECK(run.outcome.stopped);
        CHECK(run.outcome.step == 3);
      });
    }
  }
}

TEST_CASE("on a GPU gradients travel in 16 bits") {
  TrainSettings settings = mlp_settings();
  for (const char* wire : {"bfloat16", "float16"}) {
    CAPTURE(wire);
    settings.wire_dtype = wire;
    std::vector<double> expected;
    for (const char* device : {"cpu", "fake"}) {
      for_thread_ranks(2, [&](RankContext& rank) {
        const TestRun run = run_on(device, rank, settings);
        if (rank.communicator.rank() > 0) return;
        REQUIRE(run.losses.size() == 20);
        if (expected.empty()) expected = run.losses;
        // A gradient whose last bits differ may be rounded in the other direction: by 2^-8 of itself.
        for (std::size_t i = 0; i < expected.size(); ++i)
          CHECK(run.losses[i] == doctest::Approx(expected[i]).epsilon(1e-3));
      });
    }
  }
}

TEST_CASE("on a GPU the mean of replicas is as on the CPU") {
  TrainSettings settings = mlp_settings();
  settings.strategy = "model_averaging";
  settings.sync_every = 3;
  std::vector<double> expected;
  for (const char* device : {"cpu", "fake"}) {
    for_thread_ranks(2, [&](RankContext& rank) {
      const TestRun run = run_on(device, rank, settings);
      if (rank.communicator.rank() > 0) return;
      if (expected.empty()) expected = run.losses;
      check_close(run.losses, expected);
    });
  }
}

TEST_CASE(
    "on a GPU the host makes the next step while the device is busy with one, also where replicas meet after it") {
  for (const char* strategy : {"sync", "model_averaging"}) {
    for (const std::int64_t held_up : {4, 6}) {  // 6: a step with a meeting
      CAPTURE(strategy);
      CAPTURE(held_up);
      std::optional<Gate> gate;
      const Registry registry = with_odd_model(0, [&](const Tensor&, Pass& pass) {
        if (pass.step == held_up) pass.backend.wait(gate.emplace().event());
        if (pass.step == held_up + 1) gate->open();
      });
      TrainSettings settings = odd_settings();
      settings.strategy = strategy;
      if (settings.strategy == "model_averaging") settings.sync_every = 3;
      settings.train_steps = 8;
      CHECK(alone_on("fake", settings, registry).losses.size() == 8);
    }
  }
}

TEST_CASE("a checkpoint of a GPU goes on on the CPU, and the other way round") {
  const TestRun expected = train_alone(mlp_settings());
  for (const std::string first : {"cpu", "fake"}) {
    CAPTURE(first);
    const TemporaryFolder folder;
    TrainSettings settings = mlp_settings();
    settings.output_dir = folder.path();
    settings.train_steps = 9;
    alone_on(first, settings);
    settings.train_steps = 20;
    const TestRun run = alone_on(first == "cpu" ? "fake" : "cpu", settings);
    CHECK(run.outcome.step == 20);
    check_close(run.losses, expected.losses);
  }
}

TEST_CASE("a run on a GPU that is interrupted ends with the bits of one that is not") {
  const TrainSettings settings = rich_settings();
  const TestRun expected = alone_on("fake", settings);
  const TemporaryFolder folder;
  for (const std::int64_t step : {7, 20}) {
    TrainSettings part = settings;
    part.output_dir = folder.path();
    part.train_steps = step;
    const TestRun run = alone_on("fake", part);
    if (step == 20) CHECK(run.outcome.parameters_sha256 == expected.outcome.parameters_sha256);
  }
}

TEST_CASE("a GPU whose memory is used up in the middle ends the run with what was held and what to lower") {
  const Registry registry = with_odd_model(
      7, [](const Tensor&, Pass& pass) { const Buffer more = pass.backend.allocator().allocate(kMemory); });
  check_error(ExitCode::internal,
              {"out of memory on cuda:0: 1024.0 MiB asked for", "MiB held by this rank",
               "a rank of this run needs about", "what helps: a smaller batch_size"},
              [&] { do_on("fake", odd_settings(), registry); });
  CHECK(gpu_stand_in::memory_in_use() == 0);
}

TEST_CASE("a GPU that is lost ends the run with its name, and what was saved goes on elsewhere") {
  const Registry registry = with_odd_model(7, [](const Tensor&, Pass&) { gpu_stand_in::lose_gpus(); });
  const TemporaryFolder folder;
  TrainSettings settings = odd_settings();
  settings.output_dir = folder.path();
  settings.save_steps = 3;  // the second save has waited for the first
  check_error(ExitCode::internal,
              {"cuda:0 (Fake GPU) has failed at step 7: ", "the GPU is lost",
               "The newest checkpoint in " + folder.path() + " is of step ", "the same command resumes from it",
               "dmesg | grep Xid"},
              [&] { do_on("fake", settings, registry); });
  gpu_stand_in::find_gpus_again();
  const TestRun run = alone_on("cpu", settings, with_odd_model(0, {}));
  CHECK(run.outcome.step == 20);
  check_close(run.losses, train_alone(odd_settings(), with_odd_model(0, {})).losses);
  CHECK(gpu_stand_in::memory_in_use() == 0);
}

TEST_CASE("on a GPU a gradient that is not finite ends the run before a value has changed") {
  const Registry registry = with_odd_model(
      7, [](const Tensor& rows, Pass& pass) { pass.backend.fill(rows, std::numeric_limits<double>::quiet_NaN()); });
  for (const int ranks : {1, 2}) {
    CAPTURE(ranks);
    TrainSettings settings = odd_settings();
    try {
      for_thread_ranks(ranks, [&](RankContext& rank) { run_on("fake", rank, settings, registry); });
      FAIL("no error");
    } catch (const Error& error) {
      const std::string message = error.what();
      CAPTURE(message);
      CHECK(error.code() == ExitCode::internal);
      CHECK(message.find("at step 7 is not finite") != std::string::npos);
    }
    // A save in that step finds the error first.
    const TemporaryFolder folder;
    settings.output_dir = folder.path();
    settings.train_steps = 7;
    CHECK_THROWS_WITH_AS(for_thread_ranks(ranks, [&](RankContext& rank) { run_on("fake", rank, settings, registry); }),
                         doctest::Contains("at step 7 is not finite"), Error);
    CHECK(!std::filesystem::exists(std::filesystem::path(folder.path()) / "model.ckpt-7.h5"));
  }
}

TEST_CASE("on a GPU a gradient that is not finite is named where it is still there, and no other in its place") {
  const auto message = [](std::int64_t last, int ranks, const TrainSettings& settings) {
    const Registry registry = with_odd_layer([=] { return std::make_unique<BrokenGradient>(7, last); });
    try {
      for_thread_ranks(ranks, [&](RankContext& rank) { run_on("fake", rank, settings, registry); });
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string what = " at step 7 is not finite (NaN, infinity or beyond 2^48)";
  for (const char* strategy : {"sync", "model_averaging"}) {
    for (const int ranks : {1, 2}) {
      CAPTURE(strategy);
      CAPTURE(ranks);
      TrainSettings settings = odd_settings();
      settings.strategy = strategy;
      CHECK(message(7, ranks, settings).starts_with("the gradient" + what + "; try"));
      CHECK(message(8, ranks, settings)
                .starts_with("the gradient" + what + ", nor is that of linear_0/kernel at step 8; try"));
      settings.train_steps = 7;  // the end of the run waits for the step
      CHECK(message(7, ranks, settings).starts_with("the gradient of linear_0/kernel" + what + "; try"));
    }
  }
}

// Factors of 11 bits, or of 8: losses differ by that order of magnitude. With larger steps differences would add up, as
// values cross from one side of a ReLU to the other.
TEST_CASE("on a GPU products by TF32 and of bfloat16 train to almost float32's losses, and are not taken for them") {
  const TemporaryFolder data;
  for (TrainSettings settings : {mlp_settings(), convnet_settings(), language_settings(data)}) {
    CAPTURE(settings.model);
    const std::string rate = "learning_rate=0.";
    settings.hparams.insert(settings.hparams.find(rate) + rate.size(), "00");
    const std::vector<double> exact = alone_on("fake", settings).losses;
    for (const auto& [precision, bound] : {std::pair{"tf32", 0x1p-11}, std::pair{"bfloat16", 0x1p-8}}) {
      settings.precision = precision;
      CAPTURE(settings.precision);
      const std::vector<double> losses = alone_on("fake", settings).losses;
      REQUIRE(losses.size() == exact.size());
      for (std::size_t i = 0; i < losses.size(); ++i) CHECK(losses[i] == doctest::Approx(exact[i]).epsilon(bound));
      CHECK(losses != exact);
    }
  }
}

TEST_CASE("TF32 and bfloat16 are refused where a run starts on a GPU that has none, float32 trains there") {
  gpu_stand_in::have_bfloat16(false);
  TrainSettings settings = pair_settings();
  for (const std::string precision : {"tf32", "bfloat16"}) {
    settings.precision = precision;
    check_error(ExitCode::configuration, {"--precision=" + precision, "cuda:0", "Ampere", "--precision=float32"},
                [&] { do_on("fake", settings, builtin_registry()); });
  }
  settings.precision = "float32";
  CHECK(alone_on("fake", settings).outcome.step == settings.train_steps);
  gpu_stand_in::have_bfloat16(true);
}

TEST_CASE("on a GPU with a library of convolutions a convnet trains as on the CPU, and the run says so") {
  gpu_stand_in::have_cudnn(true);
  check_trains(convnet_settings());
  CHECK(fake_devices().make(0)->description() == "cuda:0 (Fake GPU, a fake cuDNN)");
  gpu_stand_in::have_cudnn(false);
}

TEST_CASE("evaluate and predict on a GPU give what they give on the CPU") {
  const TemporaryFolder data;
  for (TrainSettings settings : {mlp_settings(), language_settings(data)}) {
    CAPTURE(settings.model);
    const TemporaryFolder folder;
    settings.output_dir = folder.path();
    settings.train_steps = 3;
    alone_on("cpu", settings);
    for (const bool details : {false, true}) {
      TrainSettings asked;
      asked.schedule = "evaluate";
      asked.output_dir = folder.path();
      asked.data_dir = settings.data_dir;
      asked.eval_steps = 2;
      asked.eval_details = details;
      const std::vector<double> on_cpu = numbers_of(do_on("cpu", asked));
      const std::vector<double> on_gpu = numbers_of(do_on("fake", asked));
      REQUIRE(on_gpu.size() == on_cpu.size());
      for (std::size_t i = 0; i < on_cpu.size(); ++i) {
        if (std::isinf(on_cpu[i]) && on_gpu[i] == on_cpu[i]) continue;  // a checksum such as 5e999999
        CHECK(on_gpu[i] == doctest::Approx(on_cpu[i]).epsilon(1e-5));
      }
    }
    std::vector<std::vector<double>> predicted;
    for (const char* device : {"cpu", "fake"}) {
      TrainSettings asked;
      asked.schedule = "predict";
      asked.output_dir = folder.path();
      asked.data_dir = settings.data_dir;
      asked.overwrite = true;
      do_on(device, asked);
      predicted.push_back(numbers_of(content_of(folder.path() + "/predictions.csv")));
    }
    REQUIRE(predicted[0].size() == predicted[1].size());
    CHECK(predicted[0].size() > 100);
    std::int64_t odd = 0;
    for (std::size_t i = 0; i < predicted[0].size(); ++i) {
      odd += std::abs(predicted[0][i] - predicted[1][i]) > 1e-4 * (1 + std::abs(predicted[0][i])) ? 1 : 0;
    }
    CHECK(odd == 0);
  }
}

}  // namespace lockstep
