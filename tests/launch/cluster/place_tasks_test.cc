#include "launch/cluster/place_tasks.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

ClusterPlan plan(const std::string& jobs, const ClusterFlags& flags = {}) {
  const Json json = parse_json(jobs);
  TfConfig config;
  config.cluster = read_cluster_spec(JsonPlace(json, "cluster"));
  return plan_cluster(config, flags);
}

std::vector<ClusterProcess> on(const std::vector<std::string>& hosts, int gpus = 0) {
  std::vector<ClusterProcess> processes;
  for (const std::string& host : hosts) processes.push_back({.host_names = {host}, .gpus = gpus});
  return processes;
}

ClusterProcess process_of(const std::string& host, const std::string& job, std::int64_t index,
                          std::optional<int> ranks = {}) {
  return {.host_names = {host}, .task = TaskName{job, index}, .ranks = ranks};
}

// Returns an entry for each process: "worker 0.1=2 worker 1" for the second rank of a task, which has key 2 and is the
// second worker, followed by anything special about it.
std::string placed(const ClusterPlan& cluster, const std::vector<ClusterProcess>& processes) {
  const TaskPlacement placement = place_tasks(cluster, processes);
  std::vector<RankPlan> plans;
  std::string text;
  for (const PlacedProcess& process : placement.processes) {
    plans.push_back(process.plan);
    text += (text.empty() ? "" : ", ") + describe(process.task) + "." + std::to_string(process.index_in_task) + "=" +
            std::to_string(process.plan.key) + " " + name(process.plan.role) + " " + std::to_string(process.plan.index);
    if (!process.plan.has_shares) text += " without shares";
    if (process.plan.color != 0) text += " apart";
  }
  CHECK_NOTHROW(check_plan(plans, processes.size()));
  return text;
}

void check_refused(const ClusterPlan& cluster, const std::vector<ClusterProcess>& processes,
                   std::initializer_list<std::string> parts) {
  check_error(ExitCode::configuration, parts, [&] { place_tasks(cluster, processes); });
}

constexpr const char* kThree = R"({"chief": ["h0:1"], "worker": ["h1:1", "h2:1"]})";

}  // namespace

TEST_CASE("placement: by host, whatever the launcher's order") {
  CHECK(placed(plan(kThree), on({"h0", "h1", "h2"})) ==
        "chief 0.0=0 chief 0, worker 0.0=1 worker 0, worker 1.0=2 worker 1");
  CHECK(placed(plan(kThree), on({"h2", "h0", "h1"})) ==
        "worker 1.0=2 worker 1, chief 0.0=0 chief 0, worker 0.0=1 worker 0");
  CHECK(place_tasks(plan(kThree), on({"h2", "h0", "h1"})).warnings.empty());
}

TEST_CASE("placement: several tasks of a host in the launcher's order") {
  const ClusterPlan cluster = plan(R"({"chief": ["h1:1"], "worker": ["h0:1", "h1:2", "h0:2"]})");
  CHECK(placed(cluster, on({"h0", "h0", "h1", "h1"})) ==
        "worker 0.0=1 worker 0, worker 2.0=3 worker 2, chief 0.0=0 chief 0, worker 1.0=2 worker 1");
}

TEST_CASE("placement: a task is as many ranks as GPUs, or as --worker_gpu says") {
  const ClusterPlan cluster = plan(R"({"chief": ["h0:1"], "worker": ["h1:1"]})");
  const std::string expected =
      "worker 0.0=2 worker 1, chief 0.0=0 chief 0, worker 0.1=3 worker 2, chief 0.1=1 worker 0";
  CHECK(placed(cluster, on({"h1", "h0", "h1", "h0"}, 2)) == expected);
  CHECK(placed(plan(R"({"chief": ["h0:1"], "worker": ["h1:1"]})", {.worker_gpu = 2}), on({"h1", "h0", "h1", "h0"})) ==
        expected);
  CHECK(placed(plan(R"({"chief": ["h0:1"]})", {.worker_gpu = 0}), on({"h0"}, 8)) == "chief 0.0=0 chief 0");
}

TEST_CASE("placement: in {master, ps} the master leads without a share of the data") {
  const char* jobs = R"({"master": ["m:1"], "ps": ["p0:1", "p1:1"]})";
  CHECK(placed(plan(jobs, {.sync = true, .worker_gpu = 0, .ps_gpu = 2}), on({"p0", "m", "p1", "p1", "p0"})) ==
        "ps 0.0=1 worker 0, master 0.0=0 chief 0 without shares, ps 1.0=3 worker 2, ps 1.1=4 worker 3, "
        "ps 0.1=2 worker 1");
  CHECK(placed(plan(jobs, {.worker_gpu = 2}), on({"m", "m", "p0", "p1"})) ==
        "master 0.0=0 chief 0, master 0.1=1 worker 0, ps 0.0=2 worker 1, ps 1.0=3 worker 2");
}

TEST_CASE("placement: parameter servers come after the workers") {
  const ClusterPlan servers = plan(R"({"ps": ["h0:1"], "chief": ["h0:2"]})", {.worker_gpu = 2});
  CHECK(placed(servers, on({"h0", "h0", "h0"})) ==
        "chief 0.0=0 chief 0, chief 0.1=1 worker 0, ps 0.0=2 parameter server 0 without shares");
}

TEST_CASE("placement: a parameter server is one process, whatever its own flags say of GPUs") {
  const ClusterPlan servers = plan(R"({"ps": ["h0:1", "h1:1"], "chief": ["h0:2"]})");
  CHECK(placed(servers, {process_of("h0", "ps", 0, 2), process_of("h1", "ps", 1, 0), process_of("h0", "chief", 0)}) ==
        "ps 0.0=1 parameter server 0 without shares, ps 1.0=2 parameter server 1 without shares, chief 0.0=0 chief 0");
}

TEST_CASE("placement: processes that name their tasks are those, on whatever host") {
  CHECK(placed(plan(kThree),
               {process_of("x", "worker", 1), process_of("y", "chief", 0), process_of("h0", "worker", 0)}) ==
        "worker 1.0=2 worker 1, chief 0.0=0 chief 0, worker 0.0=1 worker 0");
  // A process's own flags take precedence over common ones.
  CHECK(placed(plan(R"({"chief": ["h0:1"], "worker": ["h1:1"]})", {.worker_gpu = 1}),
               {process_of("x", "worker", 0, 2), process_of("x", "worker", 0, 2), process_of("y", "chief", 0)}) ==
        "worker 0.0=1 worker 0, worker 0.1=2 worker 1, chief 0.0=0 chief 0");
  CHECK(placed(plan(R"({"master": ["m:1"], "ps": ["p:1"]})"),
               {process_of("m", "master", 0, 1), process_of("p", "ps", 0)}) ==
        "master 0.0=0 chief 0, ps 0.0=1 worker 0");
  // One process states its task, the others are placed by host.
  std::vector<ClusterProcess> mixed = on({"h2", "h0", "h1"});
  mixed[0].task = TaskName{"chief", 0};
  mixed[1].host_names = {"h2"};
  CHECK(placed(plan(kThree), mixed) == "chief 0.0=0 chief 0, worker 1.0=2 worker 1, worker 0.0=1 worker 0");
}

TEST_CASE("placement: one TF_CONFIG for all says nothing of the tasks") {
  std::vector<ClusterProcess> same = on({"h2", "h0", "h1"});
  for (ClusterProcess& process : same) process.task = TaskName{"chief", 0};
  CHECK(placed(plan(kThree), same) == "worker 1.0=2 worker 1, chief 0.0=0 chief 0, worker 0.0=1 worker 0");
  // All processes of a single task are ranks of it.
  same.pop_back();
  for (ClusterProcess& process : same) process.ranks = 2;
  CHECK(placed(plan(R"({"chief": ["h0:1"]})"), same) == "chief 0.0=0 chief 0, chief 0.1=1 worker 0");
}

TEST_CASE("placement: where one name stands for all hosts, order decides") {
  for (const char* host : {"localhost", "127.0.0.1", "[::1]", ""}) {
    CAPTURE(host);
    const std::string at = std::string("\"") + host + ":1\"";
    const ClusterPlan cluster = plan(R"({"worker": [)" + at + "," + at + R"(], "chief": [)" + at + "]}");
    CHECK(placed(cluster, on({"a", "a", "b"})) == "chief 0.0=0 chief 0, worker 0.0=1 worker 0, worker 1.0=2 worker 1");
    CHECK(place_tasks(cluster, on({"a", "a", "b"})).warnings.empty());
  }
}

TEST_CASE("placement: a cluster of other hosts goes by order as well, said aloud") {
  const ClusterPlan cluster = plan(R"({"master": ["10.0.0.1:5555"], "ps": ["10.0.0.2:5555", "10.0.0.3:5555"]})",
                                   {.worker_gpu = 0, .ps_gpu = 2});
  CHECK(placed(cluster, on({"a", "a", "a", "a", "a"})) ==
        "master 0.0=0 chief 0 without shares, ps 0.0=1 worker 0, ps 0.1=2 worker 1, ps 1.0=3 worker 2, "
        "ps 1.1=4 worker 3");
  const auto warnings = place_tasks(cluster, on({"a", "a", "a", "a", "a"})).warnings;
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] ==
        "no process runs on a host of the cluster (10.0.0.1, ...): its tasks go to the processes in the launcher's "
        "order, the first to master 0");
}

TEST_CASE("placement: hosts by any of their names") {
  std::vector<ClusterProcess> processes = on({"h2", "h1.example.org", "h0"});
  processes[0].host_names.emplace_back("10.0.0.2");
  processes[2].host_names.emplace_back("2001:db8::1");
  CHECK(placed(plan(R"({"chief": ["[2001:DB8:0::1]:1"], "worker": ["h1:1", "10.0.0.2:1"]})"), processes) ==
        "worker 1.0=2 worker 1, worker 0.0=1 worker 0, chief 0.0=0 chief 0");
  check_refused(plan(R"({"chief": ["h1:1"], "worker": ["h2:1"]})"), on({"h1.a.org", "h1.b.org"}),
                {"chief 0 (h1:1) may be on h1.a.org or h1.b.org, which cannot be told apart", "full name"});
}

TEST_CASE("placement: evaluators form a world of their own") {
  const ClusterPlan cluster = plan(R"({"chief": ["h0:1"], "evaluator": ["h1:1"]})");
  CHECK(placed(cluster, on({"h1", "h0"})) == "evaluator 0.0=1 evaluator 0 apart, chief 0.0=0 chief 0");
  // An evaluator outside the cluster, known only to its own process.
  std::vector<ClusterProcess> processes = on({"h0", "h1", "h2", "h3"});
  processes[0].task = TaskName{"evaluator", 0};
  processes[1] = process_of("h1", "worker", 0);
  CHECK(placed(plan(R"({"chief": ["h3:1"], "worker": ["h1:1", "h2:1"]})"), processes) ==
        "evaluator 0.0=3 evaluator 0 apart, worker 0.0=1 worker 0, worker 1.0=2 worker 1, chief 0.0=0 chief 0");
  // An evaluator started by itself is the whole job.
  CHECK(placed(plan(kThree), {process_of("h9", "evaluator", 0)}) == "evaluator 0.0=0 evaluator 0 apart");
  CHECK(placed({}, {process_of("h9", "evaluator", 0)}) == "evaluator 0.0=0 evaluator 0 apart");
}

TEST_CASE("placement: without a cluster all train") {
  CHECK(placed({}, on({"a", "a", "b"})) == "worker 0.0=0 chief 0, worker 0.1=1 worker 0, worker 0.2=2 worker 1");
}

TEST_CASE("placement: tasks without a process, and the cure") {
  check_refused(plan(R"({"chief": ["h0:1"], "worker": ["h1:1", "h2:2222", "h3:1"]})"), on({"h0", "h1"}),
                {"2 tasks of the cluster have no process: worker 1 (h2:2222), worker 2 (h3:1). Start 4 processes",
                 "(mpirun -np 4), on the hosts of the tasks, instead of 2 on h0 (1), h1 (1)"});
  check_refused(plan(kThree), on({"h0", "h1", "h4"}),
                {"1 task of the cluster has no process: worker 1 (h2:1); 1 process has no task: process 2 on h4.",
                 "There are as many processes as ranks, but not where the tasks are", "h0 (1), h1 (1), h4 (1)"});
  check_refused(plan(kThree), {}, {"3 tasks of the cluster have no process"});
  std::string workers;
  for (int i = 0; i < 9; ++i) workers += (i == 0 ? "\"w" : ",\"w") + std::to_string(i) + ":1\"";
  check_refused(plan(R"({"chief": ["h0:1"], "worker": [)" + workers + "]}"), on({"h0"}),
                {"9 tasks of the cluster have no process: worker 0 (w0:1), worker 1 (w1:1), worker 2 (w2:1), worker 3 "
                 "(w3:1) and 5 more. Start 10 processes"});
}

TEST_CASE("placement: more or fewer processes than ranks, and the cure") {
  check_refused(plan(R"({"chief": ["h0:1"], "worker": ["h1:1"]})", {.worker_gpu = 2}), on({"h0", "h1", "h0"}),
                {"worker 0 (h1:1) has 1 process for its 2 ranks. Start 4 processes", "--worker_gpu"});
  check_refused(plan(kThree), on({"h0", "h1", "h2", "h2", "h2"}),
                {"2 processes have no task: process 3 on h2, process 4 on h2. Start 3 processes (mpirun -np 3)"});
  check_refused(
      plan(kThree), {process_of("a", "chief", 0), process_of("b", "chief", 0), process_of("c", "worker", 1)},
      {"1 task of the cluster has no process: worker 0 (h1:1); chief 0 (h0:1) has 2 processes for its 1 rank"});
  check_refused(plan(kThree), {process_of("a", "chief", 0), process_of("b", "worker", 7)},
                {"process 1 on b says that it is worker 7, which the cluster does not have"});
  check_refused(plan(R"({"chief": ["h0:1"]})"), {process_of("a", "chief", 0, 2), process_of("b", "chief", 0, 3)},
                {"the processes of chief 0 do not agree on its ranks: process 1 on b says 3, others 2"});
}

}  // namespace lockstep
