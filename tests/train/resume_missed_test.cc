// Resuming from checkpoints that list batches which no update had applied: these come first, whatever the run is.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/durable_file.h"
#include "base/input_file.h"
#include "checkpoint/decoder.h"
#include "checkpoint/encoder.h"
#include "data/forwarding_problem.h"
#include "data/problems.h"
#include "data/shard_plan.h"
#include "resumed_runs.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

using Ids = std::vector<std::int64_t>;

constexpr std::int64_t kSaved = 4;  // the step of the checkpoint
constexpr std::int64_t kLast = 9;
constexpr std::int64_t kBatch = 40;
constexpr std::int64_t kSamples = 20000;  // of image_shapes

ShardPlan plan_of_runs() { return ShardPlan({.samples = kSamples, .global_batch = kBatch}); }

Ids samples_of(std::int64_t step) {
  Ids ids;
  plan_of_runs().share(step, 0, ids);
  return ids;
}

// The position after kSaved updates of a run that had handed out these later batches, too.
BatchCursor with_missed(const Ids& batches) {
  BatchCursor cursor = plan_of_runs().cursor(kSaved + std::ssize(batches));
  cursor.step = kSaved;
  for (const std::int64_t batch : batches) cursor.missed.push_back(samples_of(batch));
  return cursor;
}

std::string checkpoint_of(const std::string& folder, std::int64_t step) {
  return folder + "/model.ckpt-" + std::to_string(step) + ".h5";
}

// Writes a checkpoint anew, with another position in the data.
void move_to(const std::string& path, const BatchCursor& cursor) {
  const CheckpointDecoder reader(path);
  ParameterTable table;
  for (const auto& [name, extents] : reader.variables()) table.add(name, Shape(extents), true);
  const StateLayout layout{
      .table = &table, .slots = reader.slots(), .average = reader.has_average(), .replicas = reader.replicas()};
  CheckpointHeader header = reader.header();
  header.cursor = cursor;
  replace_file(path, EncodedCheckpoint(header, layout, reader.read(layout)).bytes());
}

// Trains to kSaved, and puts the checkpoint at this position.
void save_at(const RankContext& rank, const TrainSettings& settings, const std::string& folder,
             const BatchCursor& cursor) {
  train_to(rank, settings, folder, kSaved);
  if (rank.communicator.rank() == 0) move_to(checkpoint_of(folder, kSaved), cursor);
}

BatchCursor saved_cursor(const std::string& folder, std::int64_t step) {
  return CheckpointDecoder(checkpoint_of(folder, step)).header().cursor;
}

// The training samples that a run reads.
class Reads {
 public:
  void add(std::int64_t sample) {
    const std::scoped_lock lock(mutex_);
    samples_.push_back(sample);
  }
  Ids take_sorted() {
    const std::scoped_lock lock(mutex_);
    Ids all = std::exchange(samples_, {});
    std::ranges::sort(all);
    return all;
  }

 private:
  std::mutex mutex_;
  Ids samples_;  // guarded by mutex_
};

class NotingReads final : public ForwardingProblem {
 public:
  NotingReads(std::unique_ptr<Problem> images, std::shared_ptr<Reads> reads)
      : ForwardingProblem(std::move(images)), reads_(std::move(reads)) {}
  void read(Split split, std::int64_t sample, const SampleSlot& slot) const override {
    if (split == Split::train) reads_->add(sample);
    inner().read(split, sample, slot);
  }

 private:
  std::shared_ptr<Reads> reads_;
};

// image_shapes in which the samples of two batches have changed places.
class TwoBatchesSwapped final : public ForwardingProblem {
 public:
  TwoBatchesSwapped(std::unique_ptr<Problem> images, Ids one, Ids other)
      : ForwardingProblem(std::move(images)), one_(std::move(one)), other_(std::move(other)) {}
  void read(Split split, std::int64_t sample, const SampleSlot& slot) const override {
    inner().read(split, split == Split::train ? in_place_of(sample) : sample, slot);
  }

 private:
  std::int64_t in_place_of(std::int64_t sample) const {
    for (const auto& [from, to] : {std::pair(&one_, &other_), std::pair(&other_, &one_)}) {
      const auto found = std::ranges::find(*from, sample);
      if (found != from->end()) return (*to)[static_cast<std::size_t>(found - from->begin())];
    }
    return sample;
  }

  Ids one_;
  Ids other_;
};

}  // namespace

TEST_CASE("missed batches that would have come next make the uninterrupted run, to the last bit") {
  for_rank_contexts([](RankContext& rank) {
    for (const auto& [strategy, exact] :
         {std::pair("sync", false), std::pair("sync", true), std::pair("model_averaging", false)}) {
      TrainSettings settings = rich_settings();
      settings.strategy = strategy;
      settings.sync_every = 2;
      settings.exact = exact;
      const TestRun whole = [&] {
        const SharedFolder folder(rank.communicator);
        return train_to(rank, settings, folder.path(), kLast);
      }();
      const SharedFolder folder(rank.communicator);
      save_at(rank, settings, folder.path(), with_missed({5, 6, 7}));
      const TestRun resumed = train_to(rank, settings, folder.path(), kLast);
      check_same(resumed, whole);
      if (rank.communicator.rank() == 0) CHECK(saved_cursor(folder.path(), kLast) == plan_of_runs().cursor(kLast));
    }
  });
}

TEST_CASE("missed batches are taken in their order, by any number of ranks, which may stop among them") {
  Registry registry = builtin_registry();
  registry.problems.add("swapped", "two batches swapped", [](const ProblemOptions& options) {
    return std::make_unique<TwoBatchesSwapped>(make_image_shapes(options), samples_of(5), samples_of(6));
  });
  TrainSettings settings = rich_settings("hidden_size=24,optimizer=adam,dropout=0");
  settings.exact = true;
  settings.train_steps = kLast;
  TrainSettings swapped = settings;
  swapped.problem = "swapped";
  const TestRun by_hand = train_alone(swapped, registry);
  CHECK(by_hand.outcome.parameters_sha256 != train_alone(settings).outcome.parameters_sha256);

  const TemporaryFolder folder;
  for_thread_ranks(3, [&](RankContext& rank) {
    save_at(rank, settings, folder.path(), with_missed({6, 5}));
    train_to(rank, settings, folder.path(), 5);
  });
  BatchCursor left = plan_of_runs().cursor(6);
  left.step = 5;
  left.missed = {samples_of(5)};
  CHECK(saved_cursor(folder.path(), 5) == left);
  for (const auto& [ranks, step] : {std::pair(1, 7), std::pair(5, int{kLast})}) {
    for_thread_ranks(ranks, [&](RankContext& rank) {
      const TestRun run = train_to(rank, settings, folder.path(), step);
      if (step == kLast && rank.communicator.rank() == 0) {
        CHECK(run.outcome.parameters_sha256 == by_hand.outcome.parameters_sha256);
        CHECK(run.losses == by_hand.losses);
      }
    });
  }
}

TEST_CASE("missed batches of any sizes are all that a run reads before it goes on, in batches of its own") {
  const auto reads = std::make_shared<Reads>();
  Registry registry = builtin_registry();
  registry.problems.add("noted", "notes what is read", [&](const ProblemOptions& options) {
    return std::make_unique<NotingReads>(make_image_shapes(options), reads);
  });
  const TemporaryFolder folder;
  TrainSettings settings = rich_settings();
  settings.problem = "noted";
  settings.output_dir = folder.path();
  settings.train_steps = kSaved;
  train_alone(settings, registry);
  CHECK(std::ssize(reads->take_sorted()) == kSaved * kBatch);
  BatchCursor cursor = with_missed({5, 6});
  cursor.missed = {{3, 1, 4}, {15, 9, 2, 6, 5, 35, 8}};
  move_to(checkpoint_of(folder.path(), kSaved), cursor);
  settings.allow_changes = {"global_batch_size"};
  settings.global_batch_size = 1000;
  settings.train_steps = kSaved + 2;
  CHECK(train_alone(settings, registry).outcome.step == kSaved + 2);
  CHECK(reads->take_sorted() == Ids{1, 2, 3, 4, 5, 6, 8, 9, 15, 35});
  CHECK(saved_cursor(folder.path(), kSaved + 2) == plan_of_runs().cursor(kSaved + 2));

  settings.train_steps = kSaved + 3;
  train_alone(settings, registry);
  const CheckpointDecoder last(checkpoint_of(folder.path(), kSaved + 3));
  CHECK(last.header().cursor == BatchCursor{.step = kSaved + 3, .consumed = 6 * kBatch + 1000});
  const SavedBatches since{.global_batch = 1000, .since = plan_of_runs().cursor(kSaved + 2)};
  CHECK(saved_config(last.header().config).batches == since);
}

TEST_CASE("another batch since a position with missed batches counts from behind them") {
  const TemporaryFolder folder;
  TrainSettings settings = rich_settings();
  settings.output_dir = folder.path();
  settings.train_steps = kSaved;
  train_alone(settings);
  move_to(checkpoint_of(folder.path(), kSaved), with_missed({5, 6, 7}));
  settings.allow_changes = {"global_batch_size"};
  settings.global_batch_size = 700;
  for (const std::int64_t step : {5, 6, 8, 9}) {  // each start checks what the one before has saved
    settings.train_steps = step;
    CHECK(train_alone(settings).outcome.step == step);
    const SavedBatches since{.global_batch = 700, .since = plan_of_runs().cursor(7)};
    CHECK(saved_config(CheckpointDecoder(checkpoint_of(folder.path(), step)).header().config).batches == since);
  }
  const std::string log = read_file(folder / "log/rank-0000.log");
  CHECK(log.find("lists 3 batches (120 samples) that were not applied when it was saved: they come first") !=
        std::string::npos);
  CHECK(log.find("lists 1 batch (40 samples) that was not applied when it was saved: it comes first") !=
        std::string::npos);
}

TEST_CASE("a missed batch with a sample that there is not is refused on every number of ranks") {
  for (const int ranks : {1, 3}) {
    const TemporaryFolder folder;
    BatchCursor cursor = with_missed({5});
    cursor.missed[0][39] = kSamples;
    for_thread_ranks(ranks, [&](RankContext& rank) {
      save_at(rank, rich_settings(), folder.path(), cursor);
      check_error(ExitCode::bad_data,
                  {"model.ckpt-4.h5'", "missed/samples holds sample 20000, and there are 20000", "--output_dir"},
                  [&] { train_to(rank, rich_settings(), folder.path(), kLast); });
    });
  }
}

}  // namespace lockstep
