#include "launch/start/plan_by_flags.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "support/check_error.h"
#include "train/config/train_setting.h"

namespace lockstep {
namespace {

using Flags = std::map<std::string, std::string>;

StartRoles plan(const Flags& flags, std::size_t ranks) {
  TrainSettings settings;
  for (const auto& [name, value] : flags) CHECK(assign(train_setting(name), value, settings) == "");
  return plan_by_flags(settings, std::vector<ProcessFacts>(ranks), plan_workers);
}

void check_refused(const Flags& flags, std::size_t ranks, std::initializer_list<std::string> parts) {
  check_error(ExitCode::configuration, parts, [&] { plan(flags, ranks); });
}

TEST_CASE("launch flags: T2T's defaults say nothing of how many ranks there are") {
  for (const std::size_t ranks : {1, 2, 5}) {
    for (const Flags& flags : {Flags{}, Flags{{"worker_replicas", "1"}, {"worker_gpu", "1"}},
                               Flags{{"sync", "true"}, {"ps_replicas", "0"}, {"ps_gpu", "0"}},
                               Flags{{"worker_gpu", "0"}, {"worker_id", "0"}, {"ps_gpu", "1"}}}) {
      const StartRoles roles = plan(flags, ranks);
      REQUIRE(roles.ranks.size() == ranks);
      CHECK(roles.ranks[0].role == Role::chief);
      for (std::size_t i = 0; i < ranks; ++i) {
        CHECK(roles.worker_ids[i] == static_cast<std::int64_t>(i));
        CHECK(roles.ranks[i].has_shares);
      }
    }
  }
}

TEST_CASE("launch flags: workers and their GPUs have to be the ranks") {
  CHECK_NOTHROW(plan({{"worker_replicas", "3"}}, 3));
  CHECK(plan({{"worker_replicas", "3"}, {"worker_gpu", "2"}}, 6).worker_ids ==
        std::vector<std::int64_t>{0, 0, 1, 1, 2, 2});
  CHECK(plan({{"worker_gpu", "2"}}, 4).worker_ids == std::vector<std::int64_t>{0, 0, 1, 1});
  check_refused({{"worker_replicas", "3"}}, 2,
                {"--worker_replicas=3: that is 3 ranks", "this job has 2 ranks", "-np 3"});
  check_refused({{"worker_replicas", "3"}, {"worker_gpu", "2"}}, 3, {"--worker_replicas=3 --worker_gpu=2", "-np 6"});
  check_refused({{"worker_gpu", "4"}}, 1, {"--worker_gpu=4", "this job has 1 rank", "-np 4"});
}

TEST_CASE("launch flags: with --sync the ps tasks compute, and the first rank leads them") {
  const StartRoles roles = plan({{"sync", "true"}, {"worker_gpu", "0"}, {"ps_replicas", "2"}, {"ps_gpu", "2"}}, 5);
  REQUIRE(roles.ranks.size() == 5);
  CHECK_NOTHROW(check_plan(roles.ranks, 5));
  CHECK(roles.ranks[0].role == Role::chief);
  CHECK_FALSE(roles.ranks[0].has_shares);
  for (std::size_t i = 1; i < 5; ++i) {
    CHECK(roles.ranks[i].role == Role::worker);
    CHECK(roles.ranks[i].index == static_cast<int>(i) - 1);
    CHECK(roles.ranks[i].has_shares);
    CHECK(roles.worker_ids[i] == -1);
  }
  CHECK_FALSE(plan({{"sync", "true"}, {"ps_replicas", "2"}}, 3).ranks[0].has_shares);
  CHECK(plan({{"sync", "true"}, {"worker_gpu", "1"}, {"ps_replicas", "2"}}, 3).ranks[0].has_shares);
  check_refused({{"sync", "true"}, {"ps_replicas", "2"}, {"ps_gpu", "2"}}, 4,
                {"--sync --ps_replicas=2 --ps_gpu=2: that is 1 rank of the chief's task, which leads only, and 4 that "
                 "compute, and this job has 4 ranks: mpirun -np 5"});
  check_refused({{"sync", "true"}, {"worker_replicas", "2"}, {"ps_replicas", "2"}}, 4,
                {"--worker_replicas=2", "leave"});
}

TEST_CASE("launch flags: there are no parameter servers yet") {
  check_refused({{"ps_replicas", "2"}}, 3, {"--ps_replicas=2 without --sync: there are no parameter servers yet"});
}

}  // namespace
}  // namespace lockstep
