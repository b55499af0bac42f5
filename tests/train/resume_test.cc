#include "train/resume.h"

#include <doctest/doctest.h>

#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "resumed_runs.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

// Checks that a run in equal pieces, each on another number of ranks and with changed settings, ends like a run on one
// rank without the changes.
void check_on_other_ranks(const std::vector<int>& numbers,
                          const std::function<void(TrainSettings& settings, int ranks)>& change) {
  TrainSettings settings = rich_settings();
  settings.exact = true;
  const std::string expected = train_alone(settings).outcome.parameters_sha256;
  const TemporaryFolder folder;
  std::string last;
  std::int64_t step = 0;
  for (const int ranks : numbers) {
    step += *settings.train_steps / std::ssize(numbers);
    for_thread_ranks(ranks, [&](RankContext& rank) {
      TrainSettings mine = settings;
      change(mine, ranks);
      const TestRun run = train_to(rank, mine, folder.path(), step);
      if (rank.communicator.rank() == 0) last = run.outcome.parameters_sha256;
    });
  }
  CHECK(step == settings.train_steps);
  CHECK(last == expected);
}

}  // namespace

TEST_CASE("a run in pieces is the uninterrupted run, to the last bit, on the same world") {
  for_rank_contexts([](RankContext& rank) {
    for (const char* strategy : {"sync", "model_averaging"}) {
      TrainSettings settings = rich_settings();
      settings.strategy = strategy;
      settings.sync_every = 3;
      const TestRun whole = train_rank(rank, settings);
      const SharedFolder folder(rank.communicator);
      train_to(rank, settings, folder.path(), 6);
      train_to(rank, settings, folder.path(), 15);
      check_same(train_to(rank, settings, folder.path(), 20), whole);
      check_same(train_to(rank, settings, folder.path(), 20), whole);  // finished: nothing left to do
    }
  });
}

TEST_CASE("settings of one strategy alone are not compared when a run goes on with another strategy") {
  for_thread_ranks(2, [](RankContext& rank) {
    const SharedFolder folder(rank.communicator);
    TrainSettings sync = small_settings();
    sync.fusion_mb = 2;
    sync.allow_changes = {"strategy"};
    TrainSettings averaging = small_settings();
    averaging.strategy = "model_averaging";
    averaging.sync_every = 2;
    train_to(rank, sync, folder.path(), 4);
    CHECK_THROWS_AS(train_to(rank, averaging, folder.path(), 8), Error);
    averaging.allow_changes = {"strategy"};
    train_to(rank, averaging, folder.path(), 8);
    CHECK(train_to(rank, sync, folder.path(), 12).outcome.step == 12);
  });
}

TEST_CASE("a run goes on with --shard_optimizer and without it, in turn, as if nothing had changed") {
  for_rank_contexts([](RankContext& rank) {
    for (const char* optimizer : {"adam", "lamb", "adafactor"}) {
      TrainSettings settings = rich_settings(std::string("hidden_size=24,dropout=0.1,optimizer=") + optimizer);
      settings.exact = true;  // over MPI, too
      const TestRun whole = train_rank(rank, settings);
      const SharedFolder folder(rank.communicator);
      for (const std::int64_t step : {6, 9, 15, 20}) {
        settings.shard_optimizer = !settings.shard_optimizer;
        const TestRun run = train_to(rank, settings, folder.path(), step);
        if (step == 20) check_same(run, whole);
      }
    }
  });
}

TEST_CASE("what --shard_optimizer has saved any number of ranks resumes from, with it or without") {
  check_on_other_ranks({3, 2, 5, 1, 8},
                       [](TrainSettings& settings, int ranks) { settings.shard_optimizer = ranks != 5; });
}

TEST_CASE(
    "a run goes on with sync, --shard_optimizer and --strategy=central_storage, in turn, as if nothing had changed") {
  for (const int ranks : {1, 2, 3, 5}) {
    for_thread_ranks(ranks, [](RankContext& rank) {
      for (const char* collective : {"auto", "shm"}) {
        TrainSettings settings = rich_settings();
        settings.collective = collective;
        const TestRun whole = train_rank(rank, settings);
        const SharedFolder folder(rank.communicator);
        for (const std::int64_t step : {5, 9, 12, 15, 20}) {
          settings.strategy = step == 5 || step == 12 || step == 20 ? "central_storage" : "sync";
          settings.shard_optimizer = step == 15;
          const TestRun run = train_to(rank, settings, folder.path(), step);
          if (step == 20) check_same(run, whole);
        }
      }
    });
  }
}

TEST_CASE("what central_storage has saved any number of ranks resumes from") {
  check_on_other_ranks({3, 1, 2, 5}, [](TrainSettings& settings, int) { settings.strategy = "central_storage"; });
}

TEST_CASE("a request to stop saves, and the run goes on to the same end") {
  for_rank_contexts([](RankContext& rank) {
    TrainSettings settings = rich_settings();
    const TestRun whole = train_rank(rank, settings);
    const SharedFolder folder(rank.communicator);
    settings.output_dir = folder.path();
    const std::atomic<bool> stop = rank.communicator.rank() == 0;
    const TestRun stopped = train_rank(rank, settings, builtin_registry(), &stop);
    CHECK(stopped.outcome.stopped);
    CHECK(stopped.outcome.saved);
    CHECK(stopped.outcome.step == 1);
    CHECK(folder.has("model.ckpt-1.h5"));
    check_same(train_rank(rank, settings), whole);
  });
}

TEST_CASE("a chief without data saves, resumes and stops as any other, whatever the strategy") {
  for_rank_contexts([](RankContext& rank) {
    const bool chief = rank.communicator.rank() == 0;
    if (rank.communicator.size() == 1) return;
    for (const char* strategy : {"sync", "model_averaging"}) {
      TrainSettings settings = small_settings();
      settings.hparams = "hidden_size=24,optimizer=adam,dropout=0.1";
      settings.strategy = strategy;
      settings.sync_every = 3;
      const TestRun whole = train_rank(rank, settings, builtin_registry(), nullptr, !chief);
      const SharedFolder folder(rank.communicator);
      settings.output_dir = folder.path();
      const std::atomic<bool> stop = chief;
      const TestRun stopped = train_rank(rank, settings, builtin_registry(), &stop, !chief);
      CHECK(stopped.outcome.stopped);
      CHECK(stopped.outcome.step == (settings.strategy == "sync" ? 1 : 3));
      const TestRun resumed = train_rank(rank, settings, builtin_registry(), nullptr, !chief);
      CHECK(resumed.outcome.parameters_sha256 == whole.outcome.parameters_sha256);
      CHECK(resumed.outcome.evaluation["loss"].mean == whole.outcome.evaluation["loss"].mean);
    }
  });
}

}  // namespace lockstep
