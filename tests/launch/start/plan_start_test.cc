#include "launch/start/plan_start.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
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

// Of a cluster, a process for each of these tasks, with these flags.
std::vector<ProcessFacts> told(const std::string& cluster, const std::vector<std::pair<TaskName, Flags>>& tasks) {
  const auto description = std::make_shared<const std::string>(cluster);
  std::vector<ProcessFacts> facts;
  for (const auto& [task, flags] : tasks) {
    const ProcessStatement statement{.given = {.flags = flags, .config = ""}, .task = task};
    facts.push_back({.host = "h", .statement = to_text(statement), .description = description});
  }
  return facts;
}

StartPlan plan_of(const std::vector<ProcessFacts>& facts) {
  return plan_start(facts, plan_workers, builtin_registry().strategies);
}

const std::string kAsync = R"({"chief": ["h:1"], "worker": ["h:2", "h:3"]})";

TEST_CASE("the plan of a start: tasks of a cluster, in any order, with T2T's numbers") {
  const StartPlan plan = plan_of(told(kAsync, {{{"worker", 1}, {{"worker_id", "2"}}},
                                               {{"worker", 0}, {{"worker_id", "1"}, {"schedule", "run_std_server"}}},
                                               {{"chief", 0}, {{"worker_id", "0"}, {"schedule", "train"}}}}));
  CHECK(plan.ranks[2].role == Role::chief);
  CHECK(plan.ranks[1].key < plan.ranks[0].key);
  CHECK(plan.flags[1].flags == Flags{{"worker_id", "1"}, {"schedule", "train"}});
  check_error(ExitCode::configuration, {"--worker_id=1 on rank 2 (worker 1, h): that one is 2"}, [] {
    plan_of(told(kAsync, {{{"worker", 1}, {{"worker_id", "1"}}}, {{"worker", 0}, {}}, {{"chief", 0}, {}}}));
  });
}

TEST_CASE("the plan of a start: T2T's defaults do not contradict a cluster, other numbers may") {
  const auto with = [](const Flags& flags) {
    return told(kAsync, {{{"chief", 0}, flags}, {{"worker", 0}, {}}, {{"worker", 1}, {}}});
  };
  CHECK_NOTHROW(
      plan_of(with({{"worker_replicas", "1"}, {"ps_replicas", "0"}, {"worker_gpu", "1"}, {"worker_id", "0"}})));
  CHECK_NOTHROW(plan_of(with({{"worker_replicas", "3"}, {"strategy", "MultiWorkerMirrored"}})));
  check_error(ExitCode::configuration, {"--worker_replicas=2"}, [&] { plan_of(with({{"worker_replicas", "2"}})); });
}

TEST_CASE("the plan of a start: an evaluator beside the cluster has a world and a schedule of its own") {
  const StartPlan plan = plan_of(told(kAsync, {{{"evaluator", 0}, {{"eval_split", "test"}}},
                                               {{"chief", 0}, {{"output_dir", "d"}, {"train_steps", "5"}}},
                                               {{"worker", 0}, {}},
                                               {{"worker", 1}, {}}}));
  CHECK(plan.ranks[0].role == Role::evaluator);
  CHECK(plan.ranks[0].color != plan.ranks[1].color);
  CHECK(plan.flags[0].flags.at("schedule") == "continuous_eval");
  CHECK(plan.flags[0].flags.at("output_dir") == "d");
  CHECK(plan.flags[0].flags.at("eval_split") == "test");
  CHECK(plan.reach.ranks == 3);
}

TEST_CASE("the plan of a start: processes that are all evaluators are a job of their own") {
  const std::pair<TaskName, Flags> evaluator{{"evaluator", 0}, {{"worker_gpu", "2"}, {"output_dir", "d"}}};
  const StartPlan plan = plan_of(told(kAsync, {evaluator, evaluator}));
  CHECK(plan.ranks[0].role == Role::evaluator);
  CHECK(plan.ranks[1].role == Role::evaluator);
  CHECK(plan.ranks[0].color == plan.ranks[1].color);
}

TEST_CASE("the plan of a start: who was told nothing is named where tasks and processes do not fit") {
  auto facts = told(kAsync, {{{"chief", 0}, {}}, {{"chief", 0}, {}}, {{}, {}}});
  facts[2].statement = to_text(ProcessStatement{});
  facts[2].description = std::make_shared<const std::string>();
  check_error(ExitCode::configuration, {"chief 0 (h:1) has 2 processes", "Process 2 on h was told nothing"},
              [&] { plan_of(facts); });
}

TEST_CASE("the plan of a start: parameter servers are refused, by whatever name they are asked for") {
  const std::string servers = R"({"chief": ["h:1"], "worker": ["h:2"], "ps": ["h:3"]})";
  for (const Flags& flags : {Flags{}, Flags{{"strategy", "ParameterServerStrategy"}}, Flags{{"strategy", "sync"}}}) {
    check_error(ExitCode::configuration, {"ps task"}, [&] {
      plan_of(told(servers, {{{"chief", 0}, flags}, {{"worker", 0}, {}}, {{"ps", 0}, {}}}));
    });
  }
}

}  // namespace
}  // namespace lockstep
