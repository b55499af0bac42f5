#include "launch/start/plan_start.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "launch/start/cluster_sources.h"
#include "launch/start/process_statement.h"
#include "support/check_error.h"
#include "train/registry/registry.h"

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
                                            .told_by = "TF_CONFIG",
                                            .has_windows = true,
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
                           builtin_registry().strategies));  // all with the default: no error
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

// Facts of a process for each of these tasks of a cluster, with these flags.
std::vector<ProcessFacts> told(const std::string& cluster, const std::vector<std::pair<TaskName, Flags>>& tasks) {
  const auto description = std::make_shared<const std::string>(cluster);
  std::vector<ProcessFacts> facts;
  for (const auto& [task, flags] : tasks) {
    const ProcessStatement statement{
        .given = {.flags = flags, .config = ""}, .task = task, .told_by = "TF_CONFIG, --job_name"};
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
  check_error(ExitCode::configuration,
              {"--worker_replicas=2",
               ". The cluster is that of TF_CONFIG, --job_name: unset TF_CONFIG and leave out --job_name for a job "
               "without it"},
              [&] {
                plan_of(with({{"worker_replicas", "2"}}));
              });
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

TEST_CASE("the plan of a start: an evaluator evaluates what the chief saves") {
  const auto plan = [](const Flags& chief, const Flags& evaluator) {
    plan_of(
        told(kAsync, {{{"evaluator", 0}, evaluator}, {{"chief", 0}, chief}, {{"worker", 0}, {}}, {{"worker", 1}, {}}}));
  };
  CHECK_NOTHROW(plan({{"output_dir", "d"}}, {{"output_dir", "d"}}));
  CHECK_NOTHROW(plan({{"output_dir", "d"}}, {{"schedule", "evaluate"}, {"checkpoint_path", "d/c.h5"}}));
  CHECK_NOTHROW(plan({}, {{"schedule", "evaluate"}, {"checkpoint_path", "d/c.h5"}}));
  check_error(
      ExitCode::configuration,
      {"--output_dir is 'd' on rank 0 (chief, h) and 'e' on rank 0 (evaluator 0, h): an evaluator evaluates what "
       "the chief saves; leave it out there"},
      [&] {
        plan({{"output_dir", "d"}}, {{"output_dir", "e"}});
      });
  check_error(
      ExitCode::configuration,
      {"--output_dir is not given on rank 0 (chief, h) and 'e' on rank 0 (evaluator 0, h)", "give it to the chief"},
      [&] {
        plan({}, {{"output_dir", "e"}});
      });
  check_error(ExitCode::usage,
              {"rank 0 (evaluator 0, h) is an evaluator task by TF_CONFIG, --job_name, and evaluates what the chief "
               "saves, and rank 0 (chief, h) has no --output_dir; give it --output_dir=DIR"},
              [&] { plan({}, {}); });
}

TEST_CASE("the plan of a start: the chief's folder may be that of its file of flags") {
  auto facts = told(R"({"chief": ["h:1"]})", {{{"evaluator", 0}, {{"output_dir", "d"}}}, {{"chief", 0}, {}}});
  const auto with_folder = [&](const std::string& folder) {
    const GivenFlags given{.flags = {{"config", "c.json"}}, .config = R"({"output_dir": ")" + folder + "\"}"};
    facts[1].statement = to_text(ProcessStatement{.given = given, .task = TaskName{.job = "chief"}});
    return facts;
  };
  CHECK_NOTHROW(plan_of(with_folder("d")));
  check_error(ExitCode::configuration, {"--output_dir is 'e' on rank 0 (chief, h) and 'd' on rank 0 (evaluator 0, h)"},
              [&] { plan_of(with_folder("e")); });
}

TEST_CASE("the plan of a start: evaluators without a training, and without a folder") {
  check_error(ExitCode::usage, {"rank 0 (evaluator 0, h) is an evaluator task", "evaluates what a training run saves"},
              [] {
                plan_of(told(kAsync, {{{"evaluator", 0}, {}}}));
              });
  const auto plan = [](const Flags& first, const Flags& second) {
    plan_of(told(kAsync, {{{"evaluator", 0}, first}, {{"evaluator", 1}, second}}));
  };
  CHECK_NOTHROW(plan({{"output_dir", "d"}}, {}));
  check_error(ExitCode::configuration,
              {"--output_dir is 'd' on rank 0 (evaluator 0, h) and 'e' on rank 1 (evaluator 1, h)"}, [&] {
                plan({{"output_dir", "d"}}, {{"output_dir", "e"}});
              });
  check_error(ExitCode::configuration, {"--schedule is 'continuous_eval' on", "'evaluate' on rank 1 (evaluator 1, h)"},
              [&] {
                plan({{"output_dir", "d"}}, {{"schedule", "evaluate"}});
              });
}

TEST_CASE("the plan of a start: two kinds of work in one world are refused") {
  const Flags chief{{"schedule", "train"}};
  const Flags other{{"schedule", "evaluate"}};
  const auto parts = {std::string("--schedule is 'train' on rank 0 (chief, "),
                      std::string("and 'evaluate' on rank 1 (worker 0, ")};
  check_error(ExitCode::configuration, parts, [&] {
    plan_start(processes({chief, other}), plan_workers, builtin_registry().strategies);
  });
  check_error(ExitCode::configuration, parts, [&] {
    plan_of(told(R"({"chief": ["h:1"], "worker": ["h:2"]})", {{{"worker", 0}, other}, {{"chief", 0}, chief}}));
  });
}

TEST_CASE("the plan of a start: who was told nothing is named where tasks and processes do not fit") {
  auto facts = told(kAsync, {{{"chief", 0}, {}}, {{"chief", 0}, {}}, {{}, {}}});
  facts[2].statement = to_text(ProcessStatement{});
  facts[2].description = std::make_shared<const std::string>();
  check_error(ExitCode::configuration,
              {"chief 0 (h:1) has 2 processes",
               "Process 2 on h was told nothing of the cluster: let mpirun pass it on to "
               "other hosts by -x TF_CONFIG and give it --job_name"},
              [&] { plan_of(facts); });
}

// The role of each process: "chief", "worker 0", "parameter server 0".
std::vector<std::string> roles_of(const StartPlan& plan) {
  std::vector<std::string> roles;
  for (const RankPlan& rank : plan.ranks) {
    roles.push_back(rank.role == Role::chief ? name(rank.role) : fmt::format("{} {}", name(rank.role), rank.index));
  }
  return roles;
}

// The --strategy that each process gets; "" = none.
std::vector<std::string> strategies_of(const StartPlan& plan) {
  std::vector<std::string> strategies;
  for (const GivenFlags& given : plan.flags) strategies.push_back(given_value(given, "strategy").value_or(""));
  return strategies;
}

using Texts = std::vector<std::string>;

TEST_CASE("the plan of a start: --ps_replicas alone selects parameter_server, on all ranks") {
  const StartPlan plan = plan_of(processes({{{"ps_replicas", "2"}}, {}, {}, {}, {}}));
  CHECK(roles_of(plan) == Texts{"chief", "parameter server 0", "worker 0", "parameter server 1", "worker 1"});
  CHECK(strategies_of(plan) == Texts(5, "parameter_server"));
  const std::string alias = "ParameterServerStrategy";
  CHECK(strategies_of(plan_of(processes({{{"ps_replicas", "1"}, {"strategy", alias}}, {}}))) == Texts(2, alias));
  CHECK(strategies_of(plan_of(processes({{}, {}, {}}))) == Texts(3, ""));
}

TEST_CASE("the plan of a start: a file of flags may ask for parameter_server, which needs servers") {
  const auto with_file = [](const Flags& flags, const std::string& file) {
    auto facts = processes({{}, {}});
    GivenFlags given{.flags = flags, .config = file};
    given.flags["config"] = "c.json";
    facts[0].statement = to_text(ProcessStatement{.given = given});
    return plan_of(facts);
  };
  const std::string file = R"({"strategy": "parameter_server"})";
  check_error(ExitCode::configuration, {"--strategy=parameter_server: no rank is there to hold the parameters"},
              [&] { with_file({}, file); });
  CHECK(roles_of(with_file({{"ps_replicas", "1"}}, file)) == Texts{"chief", "parameter server 0"});
  check_error(ExitCode::configuration, {"--ps_replicas=1 --strategy=sync: "}, [&] {
    with_file({{"ps_replicas", "1"}}, R"({"strategy": "sync"})");
  });
  CHECK(roles_of(with_file({{"schedule", "evaluate"}}, file)) == Texts{"chief", "worker 0"});
  CHECK(roles_of(with_file({}, R"({"strategy": "parameter_server", "schedule": "predict"})")) ==
        Texts{"chief", "worker 0"});
}

TEST_CASE("the plan of a start: ps tasks beside workers are parameter servers") {
  const std::string servers = R"({"chief": ["h:1"], "worker": ["h:2"], "ps": ["h:3"]})";
  const auto plan = [&](const Flags& flags) {
    return plan_of(
        told(servers, {{{"ps", 0}, {{"schedule", "run_std_server"}}}, {{"chief", 0}, flags}, {{"worker", 0}, {}}}));
  };
  for (const Flags& flags : {Flags{}, Flags{{"strategy", "parameter_server"}}, Flags{{"ps_replicas", "1"}}}) {
    CHECK(roles_of(plan(flags)) == Texts{"parameter server 0", "chief", "worker 0"});
    CHECK(strategies_of(plan(flags)) == Texts(3, "parameter_server"));
  }
  check_error(ExitCode::configuration, {"--strategy=sync has no use for the 1 ps task"}, [&] {
    plan({{"strategy", "sync"}});
  });
  check_error(ExitCode::configuration, {"--ps_ranks=1: the cluster says which tasks are parameter servers"}, [&] {
    plan({{"ps_ranks", "1"}});
  });
  check_error(ExitCode::configuration, {"--strategy=ParameterServerStrategy: the cluster has no ps task"}, [&] {
    plan_of(told(
        kAsync, {{{"chief", 0}, {{"strategy", "ParameterServerStrategy"}}}, {{"worker", 0}, {}}, {{"worker", 1}, {}}}));
  });
}

TEST_CASE("the plan of a start: where nothing is trained, all ranks do the same") {
  const Flags evaluate{{"schedule", "evaluate"}, {"ps_replicas", "2"}, {"strategy", "parameter_server"}};
  const StartPlan by_flags = plan_of(processes({evaluate, {}, {}}));
  CHECK(roles_of(by_flags) == Texts{"chief", "worker 0", "worker 1"});
  CHECK(roles_of(plan_of(processes({evaluate}))) == Texts{"chief"});
  const StartPlan by_cluster = plan_of(
      told(R"({"chief": ["h:1"], "worker": ["h:2"], "ps": ["h:3"]})", {{{"ps", 0}, {{"schedule", "run_std_server"}}},
                                                                       {{"chief", 0}, {{"schedule", "evaluate"}}},
                                                                       {{"worker", 0}, {}}}));
  CHECK(roles_of(by_cluster) == Texts{"worker 1", "chief", "worker 0"});
  CHECK(by_cluster.ranks[0].has_shares);
  CHECK(strategies_of(by_cluster) == Texts(3, ""));
}

TEST_CASE("the plan of a start: windows need all processes that train or serve, and no evaluator") {
  const auto has_windows = [](std::vector<ProcessFacts> facts, const std::vector<bool>& has) {
    for (std::size_t i = 0; i < facts.size(); ++i) {
      ProcessStatement statement = process_statement(facts[i].statement);
      statement.has_windows = has[i];
      facts[i].statement = to_text(statement);
    }
    return plan_of(facts).has_windows;
  };
  const auto three = processes({{{"ps_replicas", "1"}}, {}, {}});
  CHECK(has_windows(three, {true, true, true}));
  for (const std::vector<bool>& has : {std::vector{false, true, true}, {true, true, false}, {false, false, false}}) {
    CHECK_FALSE(has_windows(three, has));
  }
  const auto with_evaluator = told(R"({"chief": ["h:1"], "ps": ["h:2"], "evaluator": ["h:3"]})",
                                   {{{"evaluator", 0}, {}}, {{"chief", 0}, {{"output_dir", "d"}}}, {{"ps", 0}, {}}});
  CHECK(has_windows(with_evaluator, {false, true, true}));
  CHECK_FALSE(has_windows(with_evaluator, {true, true, false}));
}

TEST_CASE("the plan of a start: an evaluator beside parameter servers has no strategy") {
  const StartPlan plan =
      plan_of(told(R"({"chief": ["h:1"], "ps": ["h:2"], "evaluator": ["h:3"]})",
                   {{{"chief", 0}, {{"output_dir", "d"}}}, {{"ps", 0}, {}}, {{"evaluator", 0}, {}}}));
  CHECK(roles_of(plan) == Texts{"chief", "parameter server 0", "evaluator 0"});
  CHECK(strategies_of(plan) == Texts{"parameter_server", "parameter_server", ""});
}

TEST_CASE("the plan of a start: the ps tasks of {master, ps} compute, but for --nosync") {
  const auto plan = [](const Flags& flags) {
    return plan_of(told(R"({"master": ["h:1"], "ps": ["h:2"]})",
                        {{{"master", 0}, flags}, {{"ps", 0}, {{"schedule", "run_std_server"}}}}));
  };
  const StartPlan unsaid = plan({});
  CHECK_FALSE(unsaid.ranks[0].has_shares);
  CHECK(unsaid.ranks[1].role == Role::worker);
  REQUIRE(unsaid.warnings.size() == 1);
  CHECK(unsaid.warnings[0].starts_with("the 1 ps task of the cluster computes, led by master 0"));
  CHECK(plan({{"sync", "true"}}).warnings.empty());
  const StartPlan asynchronous = plan({{"sync", "false"}});
  CHECK(roles_of(asynchronous) == Texts{"chief", "parameter server 0"});
  CHECK(asynchronous.ranks[0].has_shares);
  CHECK(strategies_of(asynchronous) == Texts(2, "parameter_server"));
  CHECK(asynchronous.warnings.empty());
}

TEST_CASE("the plan of a start: a strategy is named as it was written") {
  check_error(ExitCode::configuration, {"--strategy=MirroredStrategy has no use for the 1 ps task"}, [] {
    plan_of(told(R"({"chief": ["h:1"], "worker": ["h:2"], "ps": ["h:3"]})",
                 {{{"chief", 0}, {{"strategy", "MirroredStrategy"}}}, {{"worker", 0}, {}}, {{"ps", 0}, {}}}));
  });
}

TEST_CASE("the plan of a start: 4096 processes, each with a task and flags of its own") {
  constexpr int kTasks = 4096;
  std::string workers;
  std::vector<std::pair<TaskName, Flags>> tasks{{{"chief", 0}, {{"train_steps", "5"}, {"worker_id", "0"}}}};
  for (int i = 0; i + 1 < kTasks; ++i) {
    workers += fmt::format("{}\"h:{}\"", i == 0 ? "" : ",", i);
    tasks.emplace_back(TaskName{"worker", i}, Flags{{"worker_id", std::to_string(i + 1)}, {"train_steps", "5"}});
  }
  std::ranges::reverse(tasks);
  const auto facts = told(R"({"chief": ["c:1"], "worker": [)" + workers + "]}", tasks);
  double best_ms = std::numeric_limits<double>::max();
  for (int round = 0; round < 3; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const StartPlan plan = plan_of(facts);
    best_ms =
        std::min(best_ms, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    for (int i = 0; i < kTasks; ++i) REQUIRE(plan.ranks[static_cast<std::size_t>(i)].key == kTasks - 1 - i);
    REQUIRE(plan.reach.ranks == kTasks);
  }
  MESSAGE("the start of 4096 processes is planned in ", best_ms, " ms");
}

TEST_CASE("what describes a cluster: how to do without it, and how to pass it on") {
  CHECK(how_to_do_without("TF_CONFIG") == "unset TF_CONFIG");
  CHECK(how_to_do_without("--worker_hosts, --job_name") == "leave out --worker_hosts --job_name");
  CHECK(how_to_do_without("PS_HOSTS, --task_index, TYPE") == "unset PS_HOSTS TYPE and leave out --task_index");
  CHECK(how_to_pass_on("PS_HOSTS, TYPE") == "let mpirun pass it on to other hosts by -x PS_HOSTS -x TYPE");
  CHECK(how_to_pass_on("--worker_hosts") == "give it --worker_hosts");
}

}  // namespace
}  // namespace lockstep
