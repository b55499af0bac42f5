// Runs in which parameter servers add up several gradients for an update.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/decoder.h"
#include "data/forwarding_problem.h"
#include "data/missed_first_plan.h"
#include "data/problems.h"
#include "data/shard_plan.h"
#include "ps/read_update_log.h"
#include "served_part.h"
#include "train/served/update_order.h"

namespace lockstep {
namespace {

using Ids = std::vector<std::int64_t>;

constexpr std::int64_t kBatch = 40;
constexpr std::int64_t kSamples = 20000;  // of image_shapes

std::string checkpoint_of(const std::string& folder, std::int64_t step) {
  return folder + "/model.ckpt-" + std::to_string(step) + ".h5";
}

std::vector<float> parameters_at(const std::string& folder, std::int64_t step) {
  const CheckpointDecoder reader(checkpoint_of(folder, step));
  ParameterTable table;
  for (const auto& [name, extents] : reader.variables()) table.add(name, Shape(extents), true);
  return reader.read_parameters(table);
}

BatchCursor cursor_at(const std::string& folder, std::int64_t step) {
  return CheckpointDecoder(checkpoint_of(folder, step)).header().cursor;
}

// The step of the newest checkpoint.
std::int64_t saved_step(const std::string& folder) {
  std::int64_t newest = -1;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const std::string before = "model.ckpt-";
    if (name.starts_with(before)) newest = std::max<std::int64_t>(newest, std::stol(name.substr(before.size())));
  }
  return newest;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(static_cast<double>(a[i]) - b[i]));
  return largest;
}

// image_shapes that asks to stop when so many training samples were read.
class StopsAfterReads final : public ForwardingProblem {
 public:
  StopsAfterReads(std::unique_ptr<Problem> images, std::int64_t reads, std::atomic<std::int64_t>& read,
                  std::atomic<bool>& stop)
      : ForwardingProblem(std::move(images)), reads_(reads), read_(read), stop_(stop) {}
  void read(Split split, std::int64_t sample, const SampleSlot& slot) const override {
    if (split == Split::train && ++read_ >= reads_) stop_ = true;
    inner().read(split, sample, slot);
  }

 private:
  std::int64_t reads_;
  std::atomic<std::int64_t>& read_;
  std::atomic<bool>& stop_;
};

// Runs three workers and a server until about thirty batches are read, and stops.
void run_a_while(TrainSettings settings) {
  std::atomic<std::int64_t> read = 0;
  std::atomic<bool> stop = false;
  settings.problem = "stopping";
  settings.train_steps = 100000;
  settings.ps_log = true;
  Registry registry = builtin_registry();
  registry.problems.add("stopping", "asks to stop", [&](const ProblemOptions& options) {
    return std::make_unique<StopsAfterReads>(make_image_shapes(options), 30 * kBatch, read, stop);
  });
  for_thread_ranks(4, [&](RankContext& context) {
    const ServedEnd end = run_part(context, settings, 1, registry, &stop);
    CHECK(end.stopped);
  });
}

void take(const BatchPlan& plan, std::int64_t step, std::vector<int>& taken) {
  Ids ids;
  for (int share = 0; share < plan.shares(); ++share) {
    plan.share(step, share, ids);
    for (const std::int64_t id : ids) ++taken[static_cast<std::size_t>(id)];
  }
}

std::shared_ptr<const BatchPlan> plan_from(BatchCursor from) {
  return plan_missed_first(std::move(from), kSamples, [](BatchCursor rest) {
    return std::make_shared<ShardPlan>(
        ShardPlan::Options{.samples = kSamples, .global_batch = kBatch, .from = std::move(rest)});
  });
}

// Counts the samples of the updates up to `last` of the start whose log begins after `first`.
void take_applied(const std::string& folder, std::int64_t first, std::int64_t last, std::vector<int>& taken) {
  const RecordedUpdates log = read_update_log(update_log_path(folder, first));
  const auto plan = plan_from(first == 0 ? BatchCursor{} : cursor_at(folder, first));
  Ids added;
  for (const PsMessage& command : log.commands) {
    if (command.kind == PsMessage::Kind::add) added.push_back(command.batch);
    if (command.kind != PsMessage::Kind::update) continue;
    if (command.number > last) return;
    CHECK(std::ssize(added) <= log.header.options.sum);  // fewer if it was the last one, after the stop
    for (const std::int64_t batch : added) take(*plan, batch, taken);
    added.clear();
  }
}

}  // namespace

TEST_CASE("a sum of three gradients is the update of one rank that accumulates over three passes") {
  for (const std::string optimizer : {"sgd", "adam", "adafactor"}) {
    CAPTURE(optimizer);
    const std::string hparams =
        "hidden_size=24,dropout=0,learning_rate=0.01,learning_rate_schedule=constant,optimizer=" + optimizer;
    TrainSettings sync = small_settings();
    sync.hparams = hparams + ",optimizer_multistep_accumulate_steps=3";
    sync.global_batch_size = 3 * kBatch;
    const TemporaryFolder alone;
    sync.output_dir = alone.path();
    train_alone(sync);
    const std::vector<float> expected = parameters_at(alone.path(), 20);
    for (const auto& [ranks, servers] : {std::pair(2, 1), std::pair(3, 2)}) {  // one worker
      const TemporaryFolder folder;
      TrainSettings settings = served_settings(folder.path());
      settings.hparams = hparams;
      settings.global_batch_size = kBatch;
      settings.max_staleness = 0;
      settings.sum_updates = 3;
      for_thread_ranks(ranks, [&](RankContext& context) { run_part(context, settings, servers); });
      CHECK(largest_difference(parameters_at(folder.path(), 20), expected) < 1e-5);
      CHECK(cursor_at(folder.path(), 20) == BatchCursor{.step = 20, .consumed = 60 * kBatch});
    }
  }
}

TEST_CASE("sums without staleness have the same bits for any number of ranks and servers") {
  std::vector<std::string> digests;
  for (const auto& [ranks, servers] : {std::pair(2, 1), std::pair(4, 1), std::pair(5, 2)}) {
    const TemporaryFolder folder;
    TrainSettings settings = served_settings(folder.path());
    settings.hparams = "hidden_size=24,dropout=0.1,clip_grad_norm=0.5,optimizer=momentum";
    settings.max_staleness = 0;
    settings.sum_updates = 2;
    for_thread_ranks(ranks, [&](RankContext& context) { run_part(context, settings, servers); });
    digests.push_back(text_at_end(folder.path(), "parameters_sha256"));
  }
  CHECK(digests.front().size() == 64);
  CHECK(std::ranges::count(digests, digests.front()) == 3);
}

TEST_CASE("runs of sums that are stopped, with other sums and then without servers, take each sample once") {
  const TemporaryFolder folder;
  TrainSettings settings = served_settings(folder.path());
  settings.allow_changes = {"sum_updates", "strategy", "problem"};
  std::vector<int> taken(kSamples);
  settings.sum_updates = 2;
  run_a_while(settings);
  const std::int64_t first = saved_step(folder.path());
  REQUIRE(first > 0);
  take_applied(folder.path(), 0, first, taken);

  settings.sum_updates = 3;
  run_a_while(settings);
  const std::int64_t second = saved_step(folder.path());
  REQUIRE(second > first);
  take_applied(folder.path(), first, second, taken);
  const BatchCursor reached = cursor_at(folder.path(), second);

  settings.strategy = "sync";
  settings.sum_updates = 1;
  settings.train_steps = second + std::ssize(reached.missed) + 2;
  CHECK(train_alone(settings).outcome.step == *settings.train_steps);
  const auto plan = plan_from(reached);
  for (std::int64_t step = second + 1; step <= *settings.train_steps; ++step) take(*plan, step, taken);

  const BatchCursor end = cursor_at(folder.path(), *settings.train_steps);
  CHECK(end.missed.empty());
  CHECK(end.epoch == 0);
  CHECK(std::ranges::max(taken) == 1);
  Ids all;
  ShardPlan({.samples = kSamples, .global_batch = end.consumed}).share(1, 0, all);
  CHECK(std::ranges::all_of(all, [&](std::int64_t id) { return taken[static_cast<std::size_t>(id)] == 1; }));
  CHECK(std::ranges::count(taken, 1) == end.consumed);
}

}  // namespace lockstep
