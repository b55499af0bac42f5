// Whole runs on a GPU that is made of threads and the heap, beside the same runs on the CPU.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "model/image_models.h"
#include "model/layer_model.h"
#include "model/layers.h"
#include "resumed_runs.h"
#include "support/check_error.h"
#include "support/gpu/fake_devices.h"
#include "support/gpu/fake_gpu.h"
#include "support/temporary_folder.h"
#include "train/schedule/run_schedule.h"
#include "train_rank.h"

namespace lockstep {
namespace {

constexpr std::size_t kMemory = std::size_t{1} << 30;

TrainSettings mlp_settings() {
  TrainSettings settings = small_settings();
  settings.eval_steps = 1;
  return settings;
}

TrainSettings convnet_settings() {
  TrainSettings settings = mlp_settings();
  settings.model = "convnet";
  settings.hparams =
      "num_blocks=2,num_filters=3,hidden_size=12,optimizer=sgd,learning_rate=0.05,dropout=0.1,"
      "learning_rate_schedule=constant";
  settings.global_batch_size = 8;
  return settings;
}

TrainSettings transformer_settings(const std::string& model, const std::string& problem, int max_length) {
  TrainSettings settings = mlp_settings();
  settings.problem = problem;
  settings.model = model;
  settings.hparams_set = "transformer_test";
  settings.hparams =
      "num_hidden_layers=1,batch_size=80,optimizer=sgd,learning_rate_schedule=constant,learning_rate_constant=1,"
      "learning_rate=0.1,max_length=" +
      std::to_string(max_length);
  settings.global_batch_size = 80;  // symbols
  return settings;
}

// Sequences from others: an encoder and a decoder.
TrainSettings pair_settings() { return transformer_settings("transformer", "algorithmic_sort_problem", 9); }

TrainSettings language_settings(const TemporaryFolder& data) {
  std::ofstream text(std::filesystem::path(data.path()) / "text.txt");
  for (int i = 0; i < 400; ++i) text << i << " bottles of beer, take " << i % 7 << " down\n";
  TrainSettings settings = transformer_settings("transformer_lm", "languagemodel_text", 24);
  settings.data_dir = data.path();
  return settings;
}

// On a device of its own kind for each rank: the CPU, or GPU 0, which the ranks share.
TestRun run_on(const std::string& device, const RankContext& rank, const TrainSettings& settings,
               const Registry& registry = builtin_registry()) {
  if (device == "cpu") return train_rank(rank, settings, registry);
  const auto backend = fake_devices().make(0);
  return train_rank_on(*backend, rank, settings, registry);
}

TestRun alone_on(const std::string& device, const TrainSettings& settings,
                 const Registry& registry = builtin_registry()) {
  TestRun run;
  for_thread_ranks(1, [&](RankContext& rank) { run = run_on(device, rank, settings, registry); });
  return run;
}

void check_close(const std::vector<double>& losses, const std::vector<double>& expected) {
  REQUIRE(losses.size() == expected.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    CAPTURE(i);
    CHECK(losses[i] == doctest::Approx(expected[i]).epsilon(1e-5));
  }
}

// To the CPU's losses, by 1, 2 and 4 ranks.
void check_trains(const TrainSettings& settings) {
  const TestRun expected = train_alone(settings);
  REQUIRE(expected.losses.size() == 20);
  CHECK(expected.losses.back() < expected.losses.front());
  for (const int ranks : {1, 2, 4}) {
    CAPTURE(ranks);
    for_thread_ranks(ranks, [&](RankContext& rank) {
      const TestRun run = run_on("fake", rank, settings);
      CHECK(run.outcome.step == 20);
      CHECK(run.outcome.evaluation["loss"].mean ==
            doctest::Approx(expected.outcome.evaluation["loss"].mean).epsilon(1e-4));
      if (rank.communicator.rank() == 0) check_close(run.losses, expected.losses);
    });
  }
  CHECK(gpu_stand_in::memory_in_use() == 0);
}

// A layer that does something to the GPU, or to its values, at a step.
class AtStep final : public Layer {
 public:
  AtStep(std::int64_t step, std::function<void(const Tensor&, Pass&)> what) : step_(step), what_(std::move(what)) {}
  Shape declare(const Shape& input, Declaration& /*declaration*/) override { return input; }
  Tensor forward(const Tensor& input, Pass& pass) override {
    if (pass.mode == Pass::Mode::train && pass.step == step_) what_(input, pass);
    return input;
  }
  Tensor backward(const Tensor& output_gradient, InputGradient /*wanted*/, Pass& /*pass*/) override {
    return output_gradient;
  }

 private:
  std::int64_t step_;
  std::function<void(const Tensor&, Pass&)> what_;
};

// The built-in registry with a model `odd`, which does it.
Registry with_odd_model(std::int64_t step, const std::function<void(const Tensor&, Pass&)>& what) {
  Registry registry = builtin_registry();
  registry.models.add("odd", "for tests", [=](const HParams&, const ProblemShape& shape) -> std::unique_ptr<Model> {
    std::vector<LayerPointer> layers;
    layers.push_back(make_linear(12, LinearInit::he_uniform));
    layers.push_back(make_activation(Activation::relu));
    layers.push_back(std::make_unique<AtStep>(step, what));
    layers.push_back(make_linear(shape.outputs, LinearInit::glorot_uniform));
    return std::make_unique<LayerModel>(make_sequential(std::move(layers)), shape);
  });
  registry.hparams_sets.add("odd", "for tests", [] { return HParams(); });
  return registry;
}

TrainSettings odd_settings() {
  TrainSettings settings = mlp_settings();
  settings.model = "odd";
  settings.hparams = "optimizer=sgd,learning_rate=0.1,learning_rate_schedule=constant";
  return settings;
}

// What --schedule says, on one rank; its answer.
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
                           .log = log,
                           .role = Role::chief})
                 .answer;
  });
  return answer;
}

// The numbers of a text, wherever they stand.
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
  settings.save_steps = 5;
  check_error(ExitCode::internal, {"cuda:0 (Fake GPU) has failed", "the GPU is lost", "goes on from there"},
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
    // A save in that step finds it first.
    const TemporaryFolder folder;
    settings.output_dir = folder.path();
    settings.train_steps = 7;
    CHECK_THROWS_WITH_AS(for_thread_ranks(ranks, [&](RankContext& rank) { run_on("fake", rank, settings, registry); }),
                         doctest::Contains("at step 7 is not finite"), Error);
    CHECK(!std::filesystem::exists(std::filesystem::path(folder.path()) / "model.ckpt-7.h5"));
  }
}

// Factors of 11 bits, or of 8: what a loss loses is of that order. Larger steps would add up to more, as they lead from
// one side of a ReLU to the other.
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
  CHECK(alone_on("fake", settings).outcome.step == 20);
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
      for (std::size_t i = 0; i < on_cpu.size(); ++i) CHECK(on_gpu[i] == doctest::Approx(on_cpu[i]).epsilon(1e-5));
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
