#include "train/exchange/connect_gradients.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "collective/shm/shm_communicator.h"
#include "support/captured_stderr.h"
#include "support/file_limit.h"
#include "support/temporary_folder.h"
#include "train/strategy/sync.h"
#include "train/train_rank.h"

namespace lockstep {
namespace {

// A registry whose communicators are copies of the group, which records their names; "gone" is one that the ranks
// cannot have. The copies all describe their sums as "thread", so that is a name here, too.
Registry copies(std::string& made) {
  Registry registry;
  registry.strategies.add("sync", "", sync_strategy());
  for (const char* name : {"auto", "thread", "mpi"}) {
    registry.communicators.add(name, "a copy of the group", [&made, name](const CommunicatorParts& parts) {
      if (parts.group.rank() == 0) made = name;
      return parts.group.split(0, parts.group.rank());
    });
  }
  registry.communicators.add("gone", "", [](const CommunicatorParts&) -> std::unique_ptr<Communicator> {
    throw Error(ExitCode::configuration, "gone", Scope::every_rank);
  });
  return registry;
}

TrainSettings settings_of(const std::string& collective = "auto") {
  TrainSettings settings = small_settings();
  settings.collective = collective;
  settings.fusion_mb = 4;
  return settings;
}

SavedConfig saved_by(int ranks, const std::string& summation) {
  return {.items = {{std::string(kSummationItem), summation, true}}, .ranks = ranks};
}

// Returns the name of the communicator on two ranks that resume from `saved`.
std::string connected(const TrainSettings& settings, const SavedConfig* saved) {
  std::string made;
  const Registry registry = copies(made);
  for_thread_ranks(2, [&](RankContext& context) {
    as_training_rank(context, [&](const TrainingRank& rank) {
      const auto communicator = connect_gradients(settings, registry, rank, saved, "model.ckpt-1.h5");
      CHECK(communicator->size() == 2);
      communicator->close();
    });
  });
  return made;
}

// Returns the checkpoint's summation after accept_other_hosts().
std::string accepted(const std::string& before, const std::string& now, const std::string& collective = "auto",
                     int ranks = 2) {
  std::string made;
  const Registry registry = copies(made);
  std::vector<SavedConfig> saved(2, saved_by(ranks, before));
  const std::string said = stderr_of([&] {
    for_thread_ranks(2, [&](RankContext& context) {
      as_training_rank(context, [&](const TrainingRank& rank) {
        SavedConfig& mine = saved[static_cast<std::size_t>(rank.world.rank())];
        accept_other_hosts(mine, "model.ckpt-1.h5", now, settings_of(collective), registry, rank);
      });
    });
  });
  CHECK(saved[0].items == saved[1].items);
  const bool changed = saved[0].items.at(0).value != before;
  CHECK((said.find("in 'model.ckpt-1.h5', and are over ") != std::string::npos) == changed);
  const bool has_gpus = now.starts_with("nccl");
  CHECK((said.find("because this run cannot have that on its hosts: ") != std::string::npos) == (changed && !has_gpus));
  CHECK((said.find("because each rank has a GPU of its own now, and --collective=mpi keeps to the hosts' memory: ") !=
         std::string::npos) == (changed && has_gpus));
  return saved[0].items.at(0).value;
}

struct Room {
  std::string name;  // of the resulting communicator
  std::string said;
};

// Result of make_room() for shm, on two ranks whose shared memory is limited to 8 MB each.
Room made_room(const std::vector<std::size_t>& arrays, const std::string& collective) {
  Room room;
  std::string made;
  const Registry registry = copies(made);
  const FileLimit limit(8 << 20);
  room.said = stderr_of([&] {
    for_thread_ranks(2, [&](RankContext& context) {
      as_training_rank(context, [&](const TrainingRank& rank) {
        auto gradients = make_shm_communicator(rank.compute, rank.trace, Sharing::mapped).communicator;
        make_room(gradients, {.of_each_rank = arrays}, settings_of(collective), registry, rank);
        if (rank.is_chief()) room.name = gradients->name();
        gradients->barrier();
        gradients->close();
      });
    });
  });
  return room;
}

}  // namespace

TEST_CASE(
    "gradients that do not fit into shared memory go over mpi, which a line says, or are refused where shm is named") {
  const Room enough = made_room({4 << 20, 1000}, "auto");
  CHECK(enough.name == "shm");
  CHECK(enough.said.empty());
  const Room too_little = made_room({1000, 20 << 20}, "auto");
  CHECK(too_little.name == "thread");  // the registry's "mpi"
  CHECK(too_little.said.find("gradients go over mpi, not over shm: rank 0 gets no 21.0 MB of shared memory") !=
        std::string::npos);
  CHECK(made_room({4 << 20}, "shm").name == "shm");
  CHECK_THROWS_WITH_AS(made_room({20 << 20}, "shm"),
                       doctest::Contains("--collective=shm: rank 0 gets no 21.0 MB of shared memory"), Error);
}

TEST_CASE("gradients go over what --collective names, whatever the checkpoint had") {
  const SavedConfig saved = saved_by(2, "thread");
  CHECK(connected(settings_of("mpi"), nullptr) == "mpi");
  CHECK(connected(settings_of("mpi"), &saved) == "mpi");
}

TEST_CASE("gradients go over what the checkpoint had, if it comes from as many ranks and these can have it") {
  CHECK(connected(settings_of(), nullptr) == "auto");
  const SavedConfig same = saved_by(2, "thread, version 7");
  CHECK(connected(settings_of(), &same) == "thread");
  const SavedConfig of_three = saved_by(3, "thread");
  CHECK(connected(settings_of(), &of_three) == "auto");
  const SavedConfig unknown = saved_by(2, "another, version 7");
  CHECK(connected(settings_of(), &unknown) == "auto");
  const SavedConfig gone = saved_by(2, "gone of 1 + 1 ranks");
  CHECK(connected(settings_of(), &gone) == "auto");
  const SavedConfig on_other_hosts = saved_by(2, "thread of 1 + 1 ranks, version 7");
  CHECK(connected(settings_of(), &on_other_hosts) == "auto");
  const SavedConfig exact{.items = {}, .ranks = 2};
  CHECK(connected(settings_of(), &exact) == "auto");
}

TEST_CASE("other hosts than the checkpoint's are accepted, other versions and other flags are left to be compared") {
  CHECK(accepted("gone of 1 + 1 ranks, version 7", "thread, version 7") == "thread, version 7");
  CHECK(accepted("thread of 1 + 1 ranks, version 7", "thread, version 7") == "thread, version 7");
  CHECK(accepted("mpi, version 7", "nccl of 1 + 1 ranks, NCCL 2.28.9") == "nccl of 1 + 1 ranks, NCCL 2.28.9");
  CHECK(accepted("mpi, version 7", "nccl of 1 + 1 ranks", "nccl") == "mpi, version 7");
  CHECK(accepted("thread, version 7", "thread, version 8") == "thread, version 7");
  CHECK(accepted("gone of 1 + 1 ranks", "thread", "thread") == "gone of 1 + 1 ranks");
  CHECK(accepted("another", "thread") == "another");
  CHECK(accepted("gone", "thread", "auto", 3) == "gone");
}

TEST_CASE("the file of --collective_table is the chief's, and is refused by all if it holds no table") {
  const TemporaryFolder folder;
  TrainSettings settings = settings_of();
  settings.collective_table = folder.path() + "/table.json";
  CHECK_THROWS_AS(connected(settings, nullptr), Error);
  std::ofstream(settings.collective_table) << R"({"collective_table": [{"hosts": 1}]})";
  CHECK_THROWS_WITH_AS(connected(settings, nullptr), doctest::Contains("collective_table[0]"), Error);
  std::ofstream(settings.collective_table) << R"({"collective_table": []})";
  CHECK(connected(settings, nullptr) == "auto");
}

}  // namespace lockstep
