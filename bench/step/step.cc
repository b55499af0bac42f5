// How fast is a training step, where does its time go, and how much of it would the products alone take?
//
//   build/bench/step --model=mlp|mlp_25m|convnet|lm|gpt2 [--json]       mpirun -np 2 build/bench/step --model=convnet
//   mpirun -np 2 build/bench/step --uncoupled                   how much of it does the exchange cost?
//
// The step is the trainer's: forward pass, loss, backward pass, sum over the ranks, division, norm, SGD with momentum
// (mlp_25m and the language models: Adam), on batches that lie in memory. Rounds of steps alternate with rounds of the
// products alone, so that both see the same machine. Of language models rows are products by shape and other operations
// by kind, over all layers, and attention's floor is that of its whole matrices.
//
// --uncoupled: groups of steps alternate with groups in which every rank trains a copy alone, all of them at once. A
// round's efficiency is the step time of the slowest of these over that of the coupled step. Two processes on shared
// cores differ even without any communication, so a rank that runs alone is not what two are measured against.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../program.h"
#include "batches.h"
#include "clock.h"
#include "collective/make_communicator.h"
#include "collective/self_communicator.h"
#include "launch/flags/command_line.h"
#include "optim/optimizers.h"
#include "report.h"
#include "timed_backend.h"
#include "train/strategy/sync.h"

namespace lockstep::bench {
namespace {

constexpr std::array<Flag, 9> kFlags{{
    {.group = "Step",
     .name = "model",
     .placeholder = "NAME",
     .default_text = "mlp",
     .help = "mlp (784-512-512-10), mlp_25m (784-3344-3344-3344-10, Adam), convnet, lm (6 layers of 512, sequences of "
             "256, Adam) or gpt2 (124 million parameters, sequences of 64, Adam)"},
    {.group = "Step",
     .name = "batch",
     .placeholder = "N",
     .default_text = "",
     .help = "samples of a rank and a step; 128, lm 8 and gpt2 4 sequences"},
    {.group = "Step",
     .name = "rounds",
     .placeholder = "N",
     .default_text = "",
     .help = "rounds of steps and of products; 5, with --uncoupled 10"},
    {.group = "Step",
     .name = "groups",
     .placeholder = "N",
     .default_text = "12",
     .help = "groups of steps in a round; times are means of a group (20 steps of mlp, 4 of convnet, 1 of the others)"},
    {.group = "Step",
     .name = "uncoupled",
     .placeholder = "",
     .default_text = "",
     .help = "compare with the same ranks without exchange, in place of the products; under mpirun"},
    {.group = "Step",
     .name = "shard_optimizer",
     .placeholder = "",
     .default_text = "",
     .help = "each rank updates a part of the parameters; without exchange each updates all of them"},
    {.group = "Step",
     .name = "precision",
     .placeholder = "TYPE",
     .default_text = "float32",
     .help = "what linear layers multiply, float32 or bfloat16"},
    {.group = "Step", .name = "json", .placeholder = "", .default_text = "", .help = "print one JSON object"},
    {.group = "Step", .name = "help", .placeholder = "", .default_text = "", .help = "print this text"},
}};

struct ModelKind {
  const char* name;
  Network (*network)(std::int64_t batch);
  std::unique_ptr<Optimizer> (*optimizer)();
  std::int64_t group_steps;
  std::int64_t batch;
};

std::unique_ptr<Optimizer> momentum() { return make_momentum(HParams().set("optimizer_momentum_momentum", 0.9)); }
std::unique_ptr<Optimizer> adam() { return make_adam(adam_hparams()); }

constexpr std::array<ModelKind, 5> kModels{{{"mlp", make_mlp, momentum, 20, 128},
                                            {"mlp_25m", make_mlp_25m, adam, 1, 128},
                                            {"convnet", make_convnet, momentum, 4, 128},
                                            {"lm", make_lm, adam, 1, 8},
                                            {"gpt2", make_gpt2, adam, 1, 4}}};

struct Options {
  const ModelKind* model;
  std::int64_t batch;
  std::int64_t rounds;
  std::int64_t groups;
  DType precision;
  bool uncoupled;
  bool shard_optimizer;
  bool json;
};

Options parse(std::span<const std::string> args) {
  const CommandLine line("bench/step", kFlags, args);
  std::vector<std::string> models;
  models.reserve(kModels.size());
  for (const ModelKind& model : kModels) models.emplace_back(model.name);
  constexpr std::array kTypes{DType::float32, DType::bfloat16};
  const std::array<std::string, 2> types{name(kTypes[0]), name(kTypes[1])};
  const bool uncoupled = line.on("uncoupled");
  const ModelKind& model = kModels.at(line.choice("model", models));
  return {.model = &model,
          .batch = line.given("batch") ? line.integer("batch", 1, 1 << 16) : model.batch,
          .rounds = line.given("rounds") ? line.integer("rounds", 1, 1000) : std::int64_t{uncoupled ? 10 : 5},
          .groups = line.integer("groups", 1, 1000),
          .precision = kTypes.at(line.choice("precision", types)),
          .uncoupled = uncoupled,
          .shard_optimizer = line.on("shard_optimizer"),
          .json = line.on("json")};
}

// A rank's part of the training, step by step, and what it took.
class Training {
 public:
  // communicator: of the ranks that train together. rank: which batches.
  Training(const Options& options, Communicator& communicator, int rank, Trace& trace)
      : steps_(options.model->group_steps),
        network_(options.model->network(options.batch)),
        backend_(network_.times),
        parameters_(network_.model->table(), options.shard_optimizer ? communicator.allocator() : backend_.allocator(),
                    communicator.allocator(), DType::float32),
        optimizer_(options.model->optimizer()),
        replica_(backend_, parameters_, *optimizer_),
        strategy_(make_sync_strategy(communicator, trace, replica_, {.shard_optimizer = options.shard_optimizer})),
        batches_(network_.shape, options.batch, network_.length, rank),
        times_{.model = options.model->name,
               .ranks = communicator.size(),
               .batch = options.batch,
               .length = network_.length,
               .precision = name(options.precision)} {
    check_products(options.precision);
    parameters_.set_product_dtype(backend_, options.precision);
    if (communicator.rank() == 0) initialize(backend_, parameters_, network_.model->initializers(), 1);
    strategy_->start();
  }

  // A group of steps. Returns the microseconds of one.
  double run_group() {
    const double begin = now_us();
    for (std::int64_t i = 0; i < steps_; ++i) step();
    times_.step_us.push_back((now_us() - begin) / static_cast<double>(steps_));
    return times_.step_us.back();
  }

  void warm_up() {
    run_group();
    times_.step_us.clear();
    times_.loss_us.clear();
    times_.exchange_us.clear();
    times_.update_us.clear();
    for (const auto& layer : network_.times) {
      layer->forward_us.clear();
      layer->backward_us.clear();
    }
    if (by_kind()) backend_.add_floors();
  }

  Network& network() { return network_; }
  StepTimes& times() { return times_; }

 private:
  void step() {
    ++step_;
    const Batch batch = batches_.at(step_);
    Pass pass{.backend = backend_,
              .parameters = parameters_,
              .mode = Pass::Mode::train,
              .step = step_,
              .row_ids = batch.row_ids,
              .on_gradient_ready = [this](FlatRange range) { on_gradient_ready(range); }};
    parameters_.update_copy(backend_);
    strategy_->begin_step(step_);
    const double begin = now_us();
    if (by_kind()) backend_.begin_pass(TimedBackend::Phase::forward);
    const MetricSums sums = network_.model->forward(batch, pass);
    if (by_kind()) backend_.end_pass();
    const double forward_end = now_us();
    const double forward = forward_end - begin;
    strategy_->add_share({.loss = sums["loss"], .weight = sums.weight});
    times_.exchange_us.push_back(now_us() - forward_end);
    if (by_kind()) backend_.begin_pass(TimedBackend::Phase::backward);
    network_.model->backward(pass);
    if (by_kind()) backend_.end_pass();
    const double end = now_us();
    strategy_->finish_step(0.01);
    times_.update_us.push_back(now_us() - end);
    double layers = 0;
    for (const auto& layer : network_.times) layers += layer->forward_us.back();
    times_.loss_us.push_back(forward - layers);
  }

  void on_gradient_ready(FlatRange range) {
    const double begin = now_us();
    strategy_->on_gradient_ready(range);
    times_.exchange_us.back() += now_us() - begin;
  }

  void check_products(DType precision) const {
    const std::string reason = precision == DType::bfloat16 ? backend_.bfloat16_products() : "";
    if (!reason.empty()) throw Error(ExitCode::configuration, "--precision=bfloat16: " + reason);
  }

  // Whether the rows of times are those of the backend, not of layers.
  bool by_kind() const { return network_.length > 0; }

  std::int64_t steps_;  // of a group
  Network network_;
  TimedBackend backend_;
  ParameterStore parameters_;
  std::unique_ptr<Optimizer> optimizer_;
  Replica replica_;
  std::unique_ptr<Strategy> strategy_;
  Batches batches_;
  StepTimes times_;
  std::int64_t step_ = 0;
};

void measure_floor(Network& network) {
  for (const auto& layer : network.times) {
    for (FloorForms& floor : layer->forward_floor) floor.measure();
    for (FloorForms& floor : layer->backward_floor) floor.measure();
  }
}

void measure_beside_floor(const Options& options, Training& training) {
  for (std::int64_t round = 0; round < options.rounds; ++round) {
    for (std::int64_t group = 0; group < options.groups; ++group) training.run_group();
    measure_floor(training.network());
  }
}

// COLLECTIVE over world.
void measure_beside_uncoupled(const Options& options, Communicator& world, Training& training, Training& alone) {
  const auto group_us = [&](Training& one) {
    world.barrier();
    return one.run_group();
  };
  const auto slowest = [&](double us) {
    return std::ranges::max(all_gather_value(world, us / static_cast<double>(options.groups)));
  };
  for (std::int64_t round = 0; round < options.rounds; ++round) {
    double coupled = 0;
    double uncoupled = 0;
    for (std::int64_t group = 0; group < options.groups; ++group) {
      coupled += group_us(training);
      uncoupled += group_us(alone);
    }
    training.times().coupled_us.push_back(slowest(coupled));
    training.times().uncoupled_us.push_back(slowest(uncoupled));
  }
}

void measure(const Options& options, Job& job) {
  job.start({.quiet = true});
  const auto backend = make_backend({});
  const auto world = make_world(job.session(), job.trace());
  if (options.uncoupled && world->size() == 1) {
    throw Error(ExitCode::usage, "--uncoupled compares ranks, and there is one; start it with mpirun -np 2",
                Scope::every_rank);
  }
  const auto gradients = connect_auto({.group = *world,
                                       .session = job.session(),
                                       .trace = job.trace(),
                                       .backend = *backend,
                                       .overlap = Overlap::inline_calls});
  {
    Training training(options, *gradients, world->rank(), job.trace());
    training.warm_up();
    if (options.uncoupled) {
      const auto self = make_self_communicator(job.trace());
      Options whole = options;
      whole.shard_optimizer = false;
      Training alone(whole, *self, world->rank(), job.trace());
      alone.warm_up();
      measure_beside_uncoupled(options, *world, training, alone);
    } else {
      measure_beside_floor(options, training);
    }
    if (job.rank() == 0) {
      std::fputs((options.json ? step_json : step_table)(training.times(), training.network()).c_str(), stdout);
    }
  }
  gradients->close();
  world->close();
}

}  // namespace
}  // namespace lockstep::bench

int main(int argc, char** argv) {
  using namespace lockstep::bench;
  return run_program(argc, argv, kFlags,
                     [](std::span<const std::string> args, lockstep::Job& job) { measure(parse(args), job); });
}
