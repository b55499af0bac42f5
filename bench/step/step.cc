// How fast is a training step, where does its time go, and how much of it would the products alone take?
//
//   build/bench/step --model=mlp|convnet [--json]         mpirun -np 2 build/bench/step --model=convnet
//
// The step is the trainer's: forward pass, loss, backward pass, sum over the ranks, division, norm, SGD with momentum,
// on batches that lie in memory. Rounds of steps alternate with rounds of the products alone, so that both see the same
// machine.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "clock.h"
#include "collective/make_communicator.h"
#include "launch/flags/command_line.h"
#include "launch/job/run_rank.h"
#include "model/model.h"
#include "optim/optimizers.h"
#include "report.h"
#include "train/strategy/sync.h"

namespace lockstep::bench {
namespace {

constexpr std::array<Flag, 6> kFlags{{
    {.group = "Step", .name = "model", .placeholder = "NAME", .default_text = "mlp", .help = "mlp or convnet"},
    {.group = "Step",
     .name = "batch",
     .placeholder = "N",
     .default_text = "128",
     .help = "samples of a rank and a step"},
    {.group = "Step",
     .name = "rounds",
     .placeholder = "N",
     .default_text = "5",
     .help = "rounds of steps and of products"},
    {.group = "Step",
     .name = "groups",
     .placeholder = "N",
     .default_text = "12",
     .help = "groups of steps in a round; times are means of a group (20 steps of mlp, 4 of convnet)"},
    {.group = "Step", .name = "json", .placeholder = "", .default_text = "", .help = "print one JSON object"},
    {.group = "Step", .name = "help", .placeholder = "", .default_text = "", .help = "print this text"},
}};

struct Options {
  std::string model;
  std::int64_t batch;
  std::int64_t rounds;
  std::int64_t groups;
  std::int64_t group_steps;
  bool json;
};

Options parse(std::span<const std::string> args) {
  const CommandLine line("bench/step", kFlags, args);
  const std::vector<std::string> models{"mlp", "convnet"};
  const std::size_t model = line.choice("model", models);
  return {.model = models[model],
          .batch = line.integer("batch", 1, 1 << 16),
          .rounds = line.integer("rounds", 1, 1000),
          .groups = line.integer("groups", 1, 1000),
          .group_steps = model == 0 ? 20 : 4,
          .json = line.on("json")};
}

// Batches of random inputs and labels, as many as the peers' scripts have.
class Batches {
 public:
  Batches(const Shape& input, std::int64_t batch, int rank) : input_(input.with_front(batch)) {
    const auto size = static_cast<std::size_t>(batch);
    inputs_.resize(kBatches * static_cast<std::size_t>(input_.elements()));
    labels_.resize(kBatches * size);
    ids_.resize(kBatches * size);
    weights_.assign(size, 1.0F);
    const RandomStream random{.seed = 7, .stream = static_cast<std::uint16_t>(rank)};
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      inputs_[i] = uniform_float(random.block(static_cast<std::uint32_t>(i))[0]);
    }
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      labels_[i] = static_cast<std::int32_t>(random.block(static_cast<std::uint32_t>(i))[1] % kClasses);
      ids_[i] = static_cast<std::int64_t>(i);
    }
  }

  Batch at(std::int64_t step) {
    const std::size_t n = static_cast<std::size_t>(step) % kBatches;
    const std::int64_t size = input_[0];
    const std::size_t first = n * static_cast<std::size_t>(size);
    return {.inputs = Tensor(inputs_.data() + n * static_cast<std::size_t>(input_.elements()), DType::float32, input_),
            .targets = Tensor(labels_.data() + first, DType::int32, {size}),
            .weights = Tensor(weights_.data(), DType::float32, {size}),
            .sample_ids = Tensor(ids_.data() + first, DType::int64, {size})};
  }

 private:
  static constexpr std::size_t kBatches = 64;
  Shape input_;
  std::vector<float> inputs_;
  std::vector<std::int32_t> labels_;
  std::vector<float> weights_;
  std::vector<std::int64_t> ids_;
};

// A rank's part of the training, step by step.
class Training {
 public:
  Training(const Options& options, Network& network, Communicator& world, Backend& backend, Trace& trace)
      : network_(network),
        model_(std::move(network.layers),
               {.input = network.input, .target = ProblemShape::Target::class_label, .outputs = kClasses}),
        parameters_(model_.table(), backend.allocator(), world.allocator(), DType::float32),
        optimizer_(make_momentum(HParams().set("optimizer_momentum_momentum", 0.9))),
        replica_(backend, parameters_, *optimizer_),
        strategy_(make_sync_strategy(world, trace, replica_, {})),
        batches_(network.input, options.batch, world.rank()) {
    if (world.rank() == 0) initialize(backend, parameters_, model_.initializers(), 1);
    strategy_->start();
  }

  void step(StepTimes& times) {
    ++step_;
    const Batch batch = batches_.at(step_);
    Pass pass{.backend = replica_.backend(),
              .parameters = parameters_,
              .mode = Pass::Mode::train,
              .step = step_,
              .sample_ids = batch.sample_ids,
              .on_gradient_ready = [this](FlatRange range) { strategy_->on_gradient_ready(range); }};
    strategy_->begin_step(step_);
    const double begin = now_us();
    const MetricSums sums = model_.forward(batch, pass);
    const double forward = now_us() - begin;
    strategy_->add_share({.loss = sums["loss"], .weight = sums.weight});
    model_.backward(pass);
    const double end = now_us();
    strategy_->finish_step(0.01);
    times.update_us.push_back(now_us() - end);
    double layers = 0;
    for (const auto& layer : network_.times) layers += layer->forward_us.back();
    times.loss_us.push_back(forward - layers);
  }

 private:
  Network& network_;
  Model model_;
  ParameterStore parameters_;
  std::unique_ptr<Optimizer> optimizer_;
  Replica replica_;
  std::unique_ptr<Strategy> strategy_;
  Batches batches_;
  std::int64_t step_ = 0;
};

void clear(StepTimes& times, Network& network) {
  times.step_us.clear();
  times.loss_us.clear();
  times.update_us.clear();
  for (const auto& layer : network.times) {
    layer->forward_us.clear();
    layer->backward_us.clear();
  }
}

void measure_floor(Network& network) {
  for (const auto& layer : network.times) {
    for (FloorForms& floor : layer->forward_floor) floor.measure();
    for (FloorForms& floor : layer->backward_floor) floor.measure();
  }
}

void measure(const Options& options, Job& job) {
  job.start({.quiet = true});
  const auto backend = make_backend({});
  const auto world = make_world(job.session(), job.trace());
  Network network = options.model == "mlp" ? make_mlp(options.batch) : make_convnet(options.batch);
  Training training(options, network, *world, *backend, job.trace());
  StepTimes times{.model = options.model, .ranks = world->size(), .batch = options.batch};
  for (std::int64_t i = 0; i < options.group_steps; ++i) training.step(times);  // warm up
  clear(times, network);
  for (std::int64_t round = 0; round < options.rounds; ++round) {
    for (std::int64_t group = 0; group < options.groups; ++group) {
      const double begin = now_us();
      for (std::int64_t i = 0; i < options.group_steps; ++i) training.step(times);
      times.step_us.push_back((now_us() - begin) / static_cast<double>(options.group_steps));
    }
    measure_floor(network);
  }
  if (job.rank() == 0) {
    std::fputs((options.json ? step_json(times, network) : step_table(times, network)).c_str(), stdout);
  }
  world->close();
}

}  // namespace
}  // namespace lockstep::bench

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  return lockstep::run_rank([&](lockstep::Job& job) {
    if (lockstep::asks_for_help(args)) {
      if (job.rank() == 0) std::fputs(lockstep::flags_help(lockstep::bench::kFlags).c_str(), stdout);
    } else {
      lockstep::bench::measure(lockstep::bench::parse(args), job);
    }
    return lockstep::ExitCode::done;
  });
}
