// Measures a training step, the parts of its time, and the time that the products alone would take.
//
//   build/bench/step --model=mlp|mlp_25m|convnet|resnet|lm|gpt2 [--device=cuda] [--json]
//   mpirun -np 2 build/bench/step --model=convnet
//   mpirun -np 2 build/bench/step --uncoupled                   the cost of the exchange
//
// The step is the trainer's: forward pass, loss, backward pass, sum over the ranks, division, norm, SGD with momentum
// (mlp_25m and the language models: Adam), on batches that lie in memory. Rounds of steps alternate with rounds of the
// products alone, so that both see the same machine. For resnet and language models, rows are products by shape and
// other operations by kind, over all layers, and attention's floor is that of its whole matrices.
//
// On a GPU the host waits only at the end of a group of steps. After the rounds come steps in which it waits for every
// operation, so that each is timed by itself; the time of a step beyond their sum is the gaps between them. Then the
// sums of the gradients over the ranks are measured by themselves. There is no floor: bench/products measures the
// GPU's.
//
// --uncoupled: groups of steps alternate with groups in which every rank trains a copy alone, all at once. A round's
// efficiency is the slowest of these step times over that of the coupled step. The reference is not one rank running
// alone, because two processes on shared cores affect each other even without communication.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>

#include "../device.h"
#include "../program.h"
#include "collective/abandon_guard.h"
#include "collective/make_communicator.h"
#include "collective/self_communicator.h"
#include "options.h"
#include "report.h"
#include "training.h"

namespace lockstep::bench {
namespace {

// Returns the number of groups per round. COLLECTIVE over the ranks that train together.
std::int64_t groups_of_round(const StepOptions& options, Communicator& communicator, Training& training) {
  if (!options.seconds) return options.groups;
  const double group_us = training.run_group() * static_cast<double>(training.group_steps());
  double groups = *options.seconds * 1e6 / static_cast<double>(options.rounds) / group_us;
  broadcast_value(communicator, groups, 0);
  return std::clamp<std::int64_t>(std::llround(groups), 1, 100'000);
}

void measure_floor(Network& network) {
  for (const auto& layer : network.times) {
    for (FloorForms& floor : layer->forward_floor) floor.measure();
    for (FloorForms& floor : layer->backward_floor) floor.measure();
  }
}

void measure_beside_floor(const StepOptions& options, std::int64_t groups, Training& training) {
  for (std::int64_t round = 0; round < options.rounds; ++round) {
    for (std::int64_t group = 0; group < groups; ++group) training.run_group();
    if (training.on_host()) measure_floor(training.network());
  }
  if (training.on_host()) return;
  training.run_split();
  training.run_exchange();
}

// COLLECTIVE over world.
void measure_beside_uncoupled(const StepOptions& options, std::int64_t groups, Communicator& world, Training& training,
                              Training& alone) {
  const auto group_us = [&](Training& one) {
    world.barrier();
    return one.run_group();
  };
  const auto slowest = [&](double us) {
    return std::ranges::max(all_gather_value(world, us / static_cast<double>(groups)));
  };
  for (std::int64_t round = 0; round < options.rounds; ++round) {
    double coupled = 0;
    double uncoupled = 0;
    for (std::int64_t group = 0; group < groups; ++group) {
      coupled += group_us(training);
      uncoupled += group_us(alone);
    }
    training.times().coupled_us.push_back(slowest(coupled));
    training.times().uncoupled_us.push_back(slowest(uncoupled));
  }
}

// Connects the collective that --collective names, over the world.
std::unique_ptr<Communicator> connect(const StepOptions& options, Communicator& world, const TakenDevice& taken,
                                      Job& job) {
  const auto say = [&](const std::string& what) {
    if (job.rank() == 0) fmt::print(stderr, "bench/step: {}\n", what);
  };
  const CommunicatorParts parts{.group = world,
                                .session = job.session(),
                                .trace = job.trace(),
                                .backend = *taken.backend,
                                .overlap = Overlap::inline_calls,
                                .say = say,
                                .device_id = taken.device.bus_id};
  if (options.collective == "auto") return connect_auto(parts);
  return builtin_registry().communicators.find(options.collective)(parts);
}

// Every rank trains a second copy by itself. COLLECTIVE over world.
void measure_uncoupled(const StepOptions& options, std::int64_t groups, Communicator& world, Backend& backend, Job& job,
                       Training& training) {
  const auto one = make_self_communicator(job.trace());
  const auto self = connect_self(
      {.group = *one, .session = nullptr, .trace = job.trace(), .backend = backend, .overlap = Overlap::inline_calls});
  StepOptions whole = options;
  whole.shard_optimizer = false;
  Training alone(whole, *self, backend, world.rank(), job.trace());
  alone.warm_up();
  measure_beside_uncoupled(options, groups, world, training, alone);
}

void measure(const StepOptions& options, Job& job) {
  job.start({.quiet = true});
  const auto world = make_world(job.session(), job.trace());
  const TakenDevice taken = take_device(options.device, *world, job);
  if (options.uncoupled && world->size() == 1) {
    throw Error(ExitCode::usage, "--uncoupled compares ranks, and there is one; start it with mpirun -np 2",
                Scope::every_rank);
  }
  const auto gradients = connect(options, *world, taken, job);
  {
    Training training(options, *gradients, *taken.backend, world->rank(), job.trace());
    const AbandonGuard guard(*gradients);
    training.warm_up();
    const std::int64_t groups = groups_of_round(options, *gradients, training);
    if (options.uncoupled) {
      measure_uncoupled(options, groups, *world, *taken.backend, job, training);
    } else {
      measure_beside_floor(options, groups, training);
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
  namespace bench = lockstep::bench;
  return bench::run_program(argc, argv, bench::step_flags(), [](std::span<const std::string> args, lockstep::Job& job) {
    bench::measure(bench::parse_step_options(args), job);
  });
}
