// A training loop of your own over Lockstep, top to bottom: the ranks that mpirun starts, a share of the samples for
// each, gradients summed while the backward pass goes on, an optimizer, checkpoints, and one exit code for all.
//
//   mpirun -np 2 build/own_loop FOLDER STEPS      trains to step STEPS, from what FOLDER holds
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "collective/make_communicator.h"
#include "data/batch_buffer.h"
#include "data/problems.h"
#include "data/shard_plan.h"
#include "launch/job/run_rank.h"
#include "model/layer_model.h"
#include "model/layers.h"
#include "model/model.h"
#include "optim/optimizers.h"
#include "train/checkpoints.h"
#include "train/metrics_log.h"
#include "train/strategy/sync.h"

using namespace lockstep;

namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::int64_t kGlobalBatch = 96;  // over all ranks, so their number does not change the steps
constexpr double kLearningRate = 0.002;

// (B, 28, 28, 1) -> (B, outputs)
std::unique_ptr<Model> make_model(const ProblemShape& shape) {
  std::vector<LayerPointer> layers;
  layers.push_back(make_linear(64, LinearInit::he_uniform));
  layers.push_back(make_activation(Activation::relu));
  layers.push_back(make_dropout(0.1));
  layers.push_back(make_linear(shape.outputs, LinearInit::glorot_uniform));
  return std::make_unique<LayerModel>(make_sequential(std::move(layers)), shape);
}

// Fraction of the test split that is predicted right: the ranks take batches in turn and add up their counts.
double test_accuracy(const TrainingRank& rank, const Problem& problem, Model& model, const ParameterStore& parameters) {
  HostAllocator host;
  BatchBuffer buffer(problem.shape(), kGlobalBatch, host);
  Pass pass{.backend = rank.backend, .parameters = parameters, .mode = Pass::Mode::evaluate};
  std::vector<double> sums(2);  // right, all
  for (std::int64_t at = rank.world.rank() * kGlobalBatch; at < problem.count(Split::test);
       at += rank.world.size() * kGlobalBatch) {
    std::vector<std::int64_t> samples;
    for (std::int64_t i = at; i < std::min(at + kGlobalBatch, problem.count(Split::test)); ++i) samples.push_back(i);
    buffer.fill(problem, Split::test, samples);
    const MetricSums batch = model.forward(buffer.batch(), pass);
    sums[0] += batch["accuracy"];
    sums[1] += batch.weight;
  }
  rank.world.wait(rank.world.all_reduce(Tensor(sums.data(), DType::float64, {2})));
  return sums[0] / sums[1];
}

ExitCode train(Job& job, const std::string& folder, std::int64_t steps) {
  job.start({});  // joins the ranks that mpirun started; without mpirun, a world of one
  const auto world = make_world(job.session(), job.trace());
  const auto backend = make_backend({});
  const TrainingRank rank{.world = *world,
                          .compute = *world,
                          .backend = *backend,
                          .trace = job.trace(),
                          .log = job.log(),
                          .role = job.plan().role,
                          .job_id = job.scheduler_id()};
  // A thread sums gradients while this one computes.
  const auto gradients = connect_auto({*world, job.session(), job.trace(), *backend, Overlap::thread});

  const auto problem = make_image_shapes({.seed = kSeed});  // or a Problem of your own: examples/custom_problem
  const auto model = make_model(problem->shape());
  const ParameterStore parameters(model->table(), backend->allocator(), gradients->allocator(), DType::float32);
  const auto optimizer = make_adam(adam_hparams());
  Replica replica(*backend, parameters, *optimizer);
  const auto strategy = make_sync_strategy(*gradients, job.trace(), replica, {});

  initialize(*backend, parameters, model->initializers(), kSeed);
  strategy->start();  // every rank takes the chief's values
  Checkpoints checkpoints(rank, replica, *strategy, {.folder = folder, .model = "own_loop"});
  const BatchCursor from = checkpoints.restore();  // or those of the newest checkpoint, if there is one
  MetricsLog metrics(rank, folder, from.step);     // metrics.jsonl: `lockstep report FOLDER` makes curves of it

  const ShardPlan plan({.samples = problem->count(Split::train),
                        .global_batch = kGlobalBatch,
                        .shares = world->size(),
                        .seed = kSeed,
                        .from = from});
  HostAllocator host;
  BatchBuffer buffer(problem->shape(), kGlobalBatch, host);
  std::vector<std::int64_t> samples;
  for (std::int64_t step = from.step + 1; step <= steps; ++step) {
    job.trace().step(step);  // a hang report shows the step and the phase of each rank
    const auto phase = job.trace().enter(Phase::compute);
    plan.share(step, world->rank(), samples);  // this rank's part of the step's samples
    buffer.fill(*problem, Split::train, samples);
    Pass pass{.backend = *backend,
              .parameters = parameters,
              .seed = kSeed,
              .step = step,
              .row_ids = buffer.batch().row_ids,
              .on_gradient_ready = [&](FlatRange range) { strategy->on_gradient_ready(range); }};
    strategy->begin_step(step, 0);
    const MetricSums sums = model->forward(buffer.batch(), pass);
    strategy->add_share({.loss = sums["loss"], .weight = sums.weight});
    model->backward(pass);  // each range of gradients is summed over the ranks as soon as it is ready
    const StepResult result = strategy->finish_step(kLearningRate);
    if (step % 20 == 0) {  // every rank has the same sums; only the chief's log and metrics are kept
      const double loss = result.sums.loss / result.sums.weight;
      job.log().info("step {}: loss {:.9f}", step, loss);
      metrics.write("train", step, {{"loss", loss}});
    }
    if (step % 50 == 0 || step == steps) checkpoints.save(plan.cursor(step));
  }
  const double accuracy = test_accuracy(rank, *problem, *model, parameters);
  job.log().info("test accuracy {:.4f}", accuracy);
  metrics.write("eval", steps, {{"split", "test"}, {"accuracy", accuracy}});
  metrics.write("end", steps, {{"finished", true}});
  checkpoints.close();
  gradients->close();
  world->close();
  return ExitCode::done;
}

}  // namespace

// run_rank turns an exception of any rank into one message and one exit code for all.
int main(int argc, char** argv) {
  return run_rank([&](Job& job) {
    const std::int64_t steps = argc == 3 ? std::atoll(argv[2]) : 0;
    if (steps < 1) throw Error(ExitCode::usage, "usage: own_loop FOLDER STEPS", Scope::every_rank);
    return train(job, argv[1], steps);
  });
}
