#include "launch/start/plan_by_flags.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "support/check_error.h"
#include "train/config/train_setting.h"
#include "train/registry/registry.h"

namespace lockstep {
namespace {

using Flags = std::map<std::string, std::string>;

StartRoles plan(const Flags& flags, std::size_t ranks) {
  TrainSettings settings;
  for (const auto& [name, value] : flags) {
    CHECK(assign(train_setting(name), value, settings) == "");
    settings.given.push_back(name);
  }
  const StartRoles roles =
      plan_by_flags(settings, builtin_registry().strategies, std::vector<ProcessFacts>(ranks), plan_workers);
  CHECK(roles.worker_ids.size() == ranks);
  CHECK_NOTHROW(check_plan(roles.ranks, ranks));
  return roles;
}

// The role of each rank, in the launcher's order: "cwws".
std::string letters(const StartRoles& roles) {
  std::string text;
  for (const RankPlan& rank : roles.ranks) {
    text += rank.role == Role::chief ? 'c' : rank.role == Role::worker ? 'w' : 's';
    CHECK(rank.has_shares == (rank.role != Role::parameter_server));
  }
  return text;
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
      CHECK(roles.strategy.empty());
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
  CHECK(roles.strategy.empty());
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

TEST_CASE("launch flags: without --sync ranks of --ps_replicas are parameter servers") {
  const StartRoles roles = plan({{"ps_replicas", "2"}}, 5);
  CHECK(letters(roles) == "cwwss");
  CHECK(roles.strategy == "parameter_server");
  CHECK(roles.worker_ids == std::vector<std::int64_t>{0, 1, 2, -1, -1});
  CHECK(roles.ranks[4].index == 0);
  CHECK(letters(plan({{"ps_replicas", "1"}}, 2)) == "cs");
  for (const Flags& flags : {Flags{{"sync", "false"}}, Flags{{"strategy", "parameter_server"}},
                             Flags{{"strategy", "ParameterServerStrategyV2"}}, Flags{{"ps_gpu", "2"}}}) {
    Flags with_servers = flags;
    with_servers["ps_replicas"] = "1";
    const StartRoles same = plan(with_servers, 3);
    CHECK(letters(same) == "cws");
    CHECK(same.strategy == "parameter_server");
  }
}

TEST_CASE("launch flags: workers beside parameter servers, as t2t-make-tf-configs has them") {
  const StartRoles roles = plan({{"ps_replicas", "1"}, {"worker_replicas", "2"}, {"worker_gpu", "2"}}, 5);
  CHECK(letters(roles) == "cwwws");
  CHECK(roles.worker_ids == std::vector<std::int64_t>{0, 0, 1, 1, -1});
  check_refused(
      {{"ps_replicas", "2"}, {"worker_replicas", "3"}, {"worker_gpu", "1"}}, 4,
      {"--ps_replicas=2 --worker_replicas=3 --worker_gpu=1: that is 2 parameter servers and 3 ranks to train, "
       "and this job has 4 ranks: mpirun -np 5 train, or leave the flags out"});
  check_refused({{"ps_replicas", "1"}, {"worker_gpu", "2"}}, 4,
                {"--ps_replicas=1 --worker_gpu=2: that is 1 parameter server and at least 2 ranks to train", "-np 3"});
}

TEST_CASE("launch flags: parameter servers leave a rank to train") {
  check_refused({{"ps_replicas", "1"}}, 1,
                {"--ps_replicas=1: that is 1 parameter server and at least 1 rank to train, and this job has 1 rank: "
                 "mpirun -np 2 train, or leave the flags out"});
  for (const std::size_t ranks : {1, 2, 3}) {
    check_refused({{"ps_replicas", "3"}}, ranks, {"3 parameter servers and at least 1 rank", "mpirun -np 4 train"});
  }
}

TEST_CASE("launch flags: --ps_ranks names the parameter servers") {
  const StartRoles roles = plan({{"ps_ranks", "3,1"}}, 5);
  CHECK(letters(roles) == "cswsw");
  CHECK(roles.ranks[3].index == 0);
  CHECK(roles.strategy == "parameter_server");
  CHECK(roles.worker_ids == std::vector<std::int64_t>{0, -1, 1, -1, 2});
  CHECK(letters(plan({{"ps_ranks", "1-2"}, {"ps_replicas", "2"}}, 3)) == "css");
  check_refused({{"ps_ranks", "1-2"}, {"ps_replicas", "1"}}, 4,
                {"--ps_replicas=1 --ps_ranks=1-2: the list has 2 ranks; leave one of the two out"});
  check_refused({{"ps_ranks", "4"}}, 4, {"--ps_ranks=4: there is no rank 4"});
  check_refused({{"ps_ranks", "1"}, {"worker_replicas", "2"}}, 2,
                {"--ps_ranks=1 --worker_replicas=2: that is 1 parameter server and 2 ranks to train", "-np 3"});
}

TEST_CASE("launch flags: a strategy and the ps tasks have to have a use for each other") {
  check_refused({{"strategy", "ParameterServerStrategy"}}, 3,
                {"--strategy=ParameterServerStrategy: no rank is there to hold the parameters; give --ps_replicas=K"});
  check_refused({{"strategy", "parameter_server"}, {"ps_replicas", "0"}}, 1, {"give --ps_replicas=K"});
  for (const char* strategy : {"sync", "model_averaging", "MirroredStrategy", "of_my_own"}) {
    const std::string flag = std::string("--strategy=") + strategy;
    check_refused({{"strategy", strategy}, {"ps_replicas", "2"}}, 4,
                  {"--ps_replicas=2 " + flag + ": without --sync these ranks are parameter servers, for which " + flag +
                   " has no use; give --strategy=parameter_server, or --sync for them to compute, or leave "
                   "--ps_replicas=2 out"});
  }
  check_refused({{"sync", "true"}, {"strategy", "parameter_server"}, {"ps_replicas", "2"}}, 3,
                {"--sync --strategy=parameter_server: with --sync the --ps_replicas tasks compute"});
  CHECK(plan({{"sync", "true"}, {"strategy", "model_averaging"}, {"ps_replicas", "2"}}, 3).strategy.empty());
}

}  // namespace
}  // namespace lockstep
