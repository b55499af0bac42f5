#include "launch/start/plan_start.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launch/start/process_statement.h"
#include "support/check_error.h"
#include "train/registry.h"

namespace lockstep {
namespace {

using Flags = std::map<std::string, std::string>;

std::vector<ProcessFacts> processes(const std::vector<Flags>& flags) {
  std::vector<ProcessFacts> facts;
  for (const Flags& each : flags) {
    const std::string host = fmt::format("n{}", facts.size() / 2);
    facts.push_back({.host = host,
                     .local_rank = static_cast<int>(facts.size() % 2),
                     .statement = to_text(ProcessStatement{.given = {.flags = each, .config = ""}}),
                     .description = std::make_shared<const std::string>()});
  }
  return facts;
}

TEST_CASE("statements of processes as texts") {
  for (const ProcessStatement& statement : {ProcessStatement{},
                                            ProcessStatement{.given = {.flags = {{"a", "b"}}, .config = "c"},
                                            .task = TaskName{.job = "worker", .index = 3},
                                            .warnings = {"one", "two"},
                                            .refusal = "why"},
                                            ProcessStatement{.given = {}, .task = TaskName{.job = "chief"}}}) {
    CHECK(process_statement(to_text(statement)) == statement);
  }
}

TEST_CASE("the plan of a start: roles, flags and reach") {
  const StartPlan plan = plan_start(processes({{{"train_steps", "5"}}, {}, {{"data_dir", "d"}}}), plan_workers,
                                    builtin_registry().strategies);
  REQUIRE(plan.ranks.size() == 3);
  CHECK(plan.ranks[2].index == 1);
  CHECK(plan.flags[1].flags == Flags{{"train_steps", "5"}});
  CHECK(plan.flags[2].flags == Flags{{"data_dir", "d"}, {"train_steps", "5"}});
  CHECK(plan.reach.ranks == 3);
  CHECK(plan.reach.hosts == 2);
}

TEST_CASE("the plan of a start: the chief's flags count, whichever process that is") {
  const JobPlanner last_leads = [](std::span<const ProcessFacts> all) {
    std::vector<RankPlan> plan = plan_workers(all);
    std::swap(plan.front(), plan.back());
    return plan;
  };
  const auto facts = processes({{{"train_steps", "5"}}, {}, {{"train_steps", "7"}}});
  check_error(ExitCode::configuration, {"--train_steps is '7' on rank 0 (chief, n1) and '5' on rank 2 (worker 1, n0)"},
              [&] { plan_start(facts, last_leads, builtin_registry().strategies); });
}

TEST_CASE("the plan of a start: who is which worker") {
  CHECK_NOTHROW(
      plan_start(processes({{{"worker_id", "0"}}, {{"worker_id", "1"}}}), plan_workers, builtin_registry().strategies));
  CHECK_NOTHROW(plan_start(processes({{{"worker_id", "0"}}, {{"worker_id", "0"}}}), plan_workers,
                           builtin_registry().strategies));  // nothing is said
  check_error(ExitCode::configuration, {"--worker_id=1 on rank 2 (worker 1, n1): that one is 2"}, [&] {
    plan_start(processes({{}, {}, {{"worker_id", "1"}}}), plan_workers, builtin_registry().strategies);
  });
}

TEST_CASE("the plan of a start: a process that cannot read its cluster ends the job") {
  auto facts = processes({{}, {}, {}});
  facts[1].statement = to_text(ProcessStatement{.given = {}, .refusal = "TF_CONFIG: no"});
  check_error(ExitCode::configuration, {"process 1 on n0: TF_CONFIG: no"},
              [&] { plan_start(facts, plan_workers, builtin_registry().strategies); });
}

}  // namespace
}  // namespace lockstep
