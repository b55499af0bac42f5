#include "launch/cluster/cluster_plan.h"

#include <doctest/doctest.h>

#include <string>

#include "base/error.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

TfConfig cluster(const std::string& jobs) {
  const Json json = parse_json(jobs);
  TfConfig config;
  config.cluster = read_cluster_spec(JsonPlace(json, "cluster"));
  return config;
}

// Returns a line for each task: "chief 0 (a:1) chief", followed by anything special about it.
std::string planned(const TfConfig& config, const ClusterFlags& flags = {}) {
  std::string text;
  for (const PlannedTask& task : plan_cluster(config, flags).tasks) {
    text += describe(task.task) + " (" + task.address + ") " + name(task.role);
    if (task.leads_only) text += " leads only";
    if (task.ranks) text += " ranks=" + std::to_string(*task.ranks);
    text += "\n";
  }
  return text;
}

void check_refused(const TfConfig& config, const ClusterFlags& flags, const std::string& part) {
  check_error(ExitCode::configuration, {part}, [&] {
    try {
      plan_cluster(config, flags);
    } catch (const Error& error) {
      CHECK(error.scope() == Scope::every_rank);
      throw;
    }
  });
}

constexpr const char* kMasterAndServers = R"({"ps": ["p0:1", "p1:1"], "master": ["m:1"]})";
constexpr const char* kChiefAndServers = R"({"ps": ["p0:1", "p1:1"], "chief": ["c:1"]})";
constexpr const char* kAsync = R"({"ps": ["p0:1"], "worker": ["w0:1"], "chief": ["c:1"]})";

}  // namespace

TEST_CASE("cluster plan: chief or master, workers by index, evaluators last") {
  const std::string expected =
      "chief 0 (c:1) chief\nworker 0 (w0:1) worker\nworker 10 (w10:1) worker\nevaluator 0 (e:1) evaluator\n";
  CHECK(planned(
            cluster(R"({"evaluator": ["e:1"], "worker": {"10": "w10:1", "0": "w0:1"}, "ps": [], "chief": ["c:1"]})")) ==
        expected);
  CHECK(planned(cluster(R"({"worker": ["w0:1"], "master": ["m:1"]})")) ==
        "master 0 (m:1) chief\nworker 0 (w0:1) worker\n");
  CHECK(planned(cluster(R"({"chief": ["c:1"], "worker": ["w0:1"]})"), {.sync = true, .worker_gpu = 2}) ==
        "chief 0 (c:1) chief ranks=2\nworker 0 (w0:1) worker ranks=2\n");
}

TEST_CASE("cluster plan: without chief and master worker 0 is the chief, said aloud") {
  const TfConfig config = cluster(R"({"worker": {"1": "a:1", "2": "b:1"}})");
  CHECK(planned(config) == "worker 1 (a:1) chief\nworker 2 (b:1) worker\n");
  const auto warnings = plan_cluster(config, {}).warnings;
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] == "worker 1 (a:1) is the chief: the cluster has neither a chief nor a master");
  check_refused(cluster(R"({"ps": ["p:1"]})"), {}, "cluster: it has ps tasks only, and nobody can be the chief");
}

TEST_CASE("cluster plan: an evaluator outside the cluster, alone, and nobody") {
  TfConfig config = cluster(R"({"chief": ["c:1"], "evaluator": ["e:1"]})");
  config.task = TaskName{"evaluator", 3};
  CHECK(planned(config) == "chief 0 (c:1) chief\nevaluator 0 (e:1) evaluator\nevaluator 3 () evaluator\n");
  CHECK(planned(read_tf_config(R"({"task": {"type": "evaluator", "index": 0}})", "TF_CONFIG")) ==
        "evaluator 0 () evaluator\n");
  CHECK(planned(read_tf_config("{}", "TF_CONFIG")).empty());
  CHECK(planned(read_tf_config(R"({"task": {"type": "worker", "index": 0}})", "TF_CONFIG")).empty());
}

TEST_CASE("cluster plan: in {master, ps} the ps tasks compute, with and without --sync") {
  const std::string expected =
      "master 0 (m:1) chief leads only ranks=0\nps 0 (p0:1) worker ranks=2\nps 1 (p1:1) worker ranks=2\n";
  CHECK(planned(cluster(kMasterAndServers), {.sync = true, .worker_gpu = 0, .ps_gpu = 2}) == expected);
  CHECK(planned(cluster(kMasterAndServers), {.worker_gpu = 0, .ps_gpu = 2, .strategy = "sync"}) == expected);
  CHECK(planned(cluster(kMasterAndServers), {.strategy = "model_averaging"}) ==
        "master 0 (m:1) chief leads only\nps 0 (p0:1) worker\nps 1 (p1:1) worker\n");
}

TEST_CASE("cluster plan: where nobody says so that the ps tasks of {master, ps} compute, a warning does") {
  const auto warnings = [](const ClusterFlags& flags) {
    return plan_cluster(cluster(kMasterAndServers), flags).warnings;
  };
  CHECK(warnings({.sync = true}).empty());
  REQUIRE(warnings({}).size() == 1);
  CHECK(warnings({})[0] ==
        "the 2 ps tasks of the cluster compute, led by master 0, as with --sync, since neither --sync nor --nosync is "
        "given");
}

TEST_CASE("cluster plan: with --nosync the ps tasks of {master, ps} are servers, as in T2T") {
  check_refused(cluster(kMasterAndServers), {.sync = false, .strategy = "sync"},
                "--strategy=sync has no use for the 2 ps tasks of the cluster");
  CHECK(planned(cluster(kMasterAndServers), {.sync = false, .worker_gpu = 1}) ==
        "master 0 (m:1) chief ranks=1\nps 0 (p0:1) parameter server ranks=1\nps 1 (p1:1) parameter server ranks=1\n");
}

TEST_CASE("cluster plan: with --sync they do so under a chief, or worker 0, as well") {
  CHECK(planned(cluster(kChiefAndServers), {.sync = true}) ==
        "chief 0 (c:1) chief leads only\nps 0 (p0:1) worker\nps 1 (p1:1) worker\n");
  CHECK(planned(cluster(R"({"ps": ["p:1"], "worker": ["w:1"]})"), {.sync = true}) ==
        "worker 0 (w:1) chief leads only\nps 0 (p:1) worker\n");
  check_refused(
      cluster(kAsync), {.sync = true},
      "--sync makes the 1 ps task of the cluster compute, led by one chief or master, but it has 1 worker as well");
}

TEST_CASE("cluster plan: otherwise they hold the parameters") {
  for (const bool sync : {false, true}) {
    CAPTURE(sync);
    const ClusterFlags flags{.sync = sync, .strategy = "parameter_server"};
    CHECK(planned(cluster(kMasterAndServers), flags) ==
          "master 0 (m:1) chief\nps 0 (p0:1) parameter server ranks=1\nps 1 (p1:1) parameter server ranks=1\n");
  }
  const ClusterPlan plan = plan_cluster(cluster(kAsync), {});
  CHECK(plan.strategy == "parameter_server");
  CHECK(plan.tasks.size() == 3);
  CHECK(plan_cluster(cluster(kMasterAndServers), {}).strategy.empty());
  CHECK(plan_cluster(cluster(kChiefAndServers), {}).strategy == "parameter_server");
  check_refused(
      cluster(kChiefAndServers), {.strategy = "sync"},
      "--strategy=sync has no use for the 2 ps tasks of the cluster; give --strategy=parameter_server for them "
      "to hold the parameters, leave the ps tasks out of the cluster, or, where there is only one other task, give "
      "--sync for them to compute");
  for (const char* strategy : {"sync", "model_averaging"}) {
    check_refused(cluster(kAsync), {.strategy = strategy},
                  std::string("--strategy=") + strategy + " has no use for the 1 ps task of the cluster");
  }
}

TEST_CASE("cluster plan: parameter_server needs ps tasks, or a cluster that says nothing of the training") {
  check_refused(cluster(R"({"chief": ["c:1"], "worker": ["w:1"]})"),
                {.strategy = "parameter_server", .strategy_written = "ParameterServerStrategy"},
                "--strategy=ParameterServerStrategy: the cluster has no ps task to hold the parameters; add one to it "
                "(\"ps\": [\"host:port\"]), or give another --strategy");
  CHECK_NOTHROW(plan_cluster(cluster(R"({"evaluator": ["e:1"]})"), {.strategy = "parameter_server"}));
}

TEST_CASE("cluster plan: T2T's numbers are checked, by T2T's own count") {
  // The flags that t2t-make-tf-configs prints for one master and for several.
  CHECK_NOTHROW(plan_cluster(cluster(kMasterAndServers), {.sync = true, .worker_replicas = 1, .ps_replicas = 2}));
  CHECK_NOTHROW(plan_cluster(cluster(kAsync), {.worker_replicas = 2, .ps_replicas = 1}));
  check_refused(cluster(kAsync), {.worker_replicas = 1},
                "--worker_replicas=1, but the cluster has 2 chief, master or worker tasks; leave the flag out "
                "or give 2");
  check_refused(cluster(kAsync), {.ps_replicas = 2}, "--ps_replicas=2, but the cluster has 1 ps task;");
  check_refused(cluster(kAsync), {.worker_replicas = -1}, "--worker_replicas=-1");
  check_refused(cluster(R"({"chief": ["c:1"]})"), {.ps_replicas = 1},
                "--ps_replicas=1, but the cluster has 0 ps tasks");
  CHECK_NOTHROW(plan_cluster(read_tf_config("{}", "TF_CONFIG"), {.worker_replicas = 3, .ps_replicas = 2}));
}

TEST_CASE("cluster plan: jobs without a role here, and two leaders") {
  check_refused(cluster(R"({"chief": ["c:1"], "other_type": ["o:1"]})"), {},
                "cluster.other_type: there is no role for tasks of this name");
  check_refused(cluster(R"({"cheif": ["c:1"], "worker": ["w:1"]})"), {}, "ps and evaluator (did you mean 'chief'?)");
  CHECK_NOTHROW(plan_cluster(cluster(R"({"chief": ["c:1"], "other_type": []})"), {}));
  TfConfig two;
  two.cluster.jobs = {{"chief", {{0, "c:1"}}}, {"master", {{0, "m:1"}}}};
  check_refused(two, {}, "chief 0 and master 0 cannot both lead");
}

TEST_CASE("cluster plan: how many ranks a task is") {
  PlannedTask worker;
  worker.task.job = "worker";
  PlannedTask master;
  master.task.job = "master";
  master.leads_only = true;
  CHECK(ranks_of(worker, {}, 0) == 1);
  CHECK(ranks_of(worker, {}, 4) == 4);
  CHECK(ranks_of(worker, 0, 4) == 1);  // no GPU: one rank on the CPU
  CHECK(ranks_of(worker, 2, 4) == 2);
  CHECK(ranks_of(master, {}, 4) == 1);
  CHECK(ranks_of(master, 0, 4) == 1);
  CHECK(ranks_of(master, 2, 4) == 2);
}

}  // namespace lockstep
