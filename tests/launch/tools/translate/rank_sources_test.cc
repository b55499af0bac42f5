#include "launch/tools/translate/sources/rank_sources.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>
#include <string>

#include "base/error.h"
#include "launch/cluster/tf_config.h"
#include "launch/tools/translate/formats/rank_formats.h"
#include "support/fake_environment.h"

namespace lockstep {
namespace {

// Returns "0 chief 0 a; 1 worker 0 b ...": rank, task, host.
std::string places(const RankList& list) {
  std::string text;
  for (const RankEntry& entry : list.ranks) {
    text += fmt::format("{}{} {} {}", text.empty() ? "" : "; ", entry.rank, describe(entry.task), entry.host);
  }
  return text;
}

template <class Translate>
std::string refusal(ExitCode code, Translate translate) {
  try {
    translate();
  } catch (const Error& error) {
    CHECK(error.code() == code);
    return error.what();
  }
  return "";
}

RankList of_cluster(const std::string& text, const ClusterFlags& flags = {}) {
  return ranks_of_cluster(read_tf_config(text, "TF_CONFIG"), flags);
}

}  // namespace

TEST_CASE("ranks of a cluster: chief, workers by index, indices with gaps, numeric addresses") {
  const RankList list =
      of_cluster(R"({"cluster": {"worker": {"7": "[fd00::2]:2222", "2": "B:2222"}, "chief": ["a:2222"]}})");
  CHECK(places(list) == "0 chief 0 a; 1 worker 2 b; 2 worker 7 fd00::2");
  CHECK(list.world_size == 3);
  CHECK(list.ranks[2].address == "[fd00::2]:2222");
  CHECK(list.first_host == "a");
}

TEST_CASE("ranks of a cluster: several to a task, and the master that leads alone") {
  const RankList list = of_cluster(
      R"({"cluster": {"master": ["m:1"], "ps": ["p:1", "q:1"]}, "task": {"type": "ps", "index": 0}})", {.ps_gpu = 2});
  CHECK(places(list) == "0 master 0 m; 1 ps 0 p; 2 ps 0 p; 3 ps 1 q; 4 ps 1 q");
  CHECK(list.ranks[0].role == Role::chief);
  CHECK(list.ranks[4].role == Role::worker);
  CHECK(list.ranks[4].gpu == 1);
  CHECK_FALSE(list.ranks[0].gpu.has_value());
  CHECK(list.ranks[4].local_rank == 1);
  CHECK(list.ranks[4].local_size == 2);
  CHECK(list.train_flags == std::vector<std::string>{"--ps_gpu=2"});
}

TEST_CASE("ranks of a cluster: evaluators are no ranks of the training") {
  const RankList list =
      of_cluster(R"({"cluster": {"evaluator": ["a:2"], "chief": ["a:1"]}, "task": {"type": "evaluator", "index": 0}})");
  CHECK(places(list) == "0 chief 0 a");
  CHECK(list.world_size == 1);
  REQUIRE(list.evaluators.size() == 1);
  CHECK(list.evaluators[0].host == "a");
  CHECK(list.ranks[0].local_size == 1);
}

// Returns "0 1 -": the GPU of each rank, then of each evaluator.
std::string gpus(const RankList& list) {
  std::string text;
  for (const auto* world : {&list.ranks, &list.evaluators}) {
    for (const RankEntry& entry : *world) {
      text += (text.empty() ? "" : " ") + (entry.gpu ? std::to_string(*entry.gpu) : "-");
    }
  }
  return text;
}

TEST_CASE("ranks of a cluster: GPUs are numbered by host, and who computes without has none") {
  const std::string two_hosts =
      R"({"cluster": {"chief": ["a:1"], "worker": ["a:2", "b:1", "a:3"], "evaluator": ["a:4"]}})";
  CHECK(gpus(of_cluster(two_hosts)) == "0 1 0 2 3");
  CHECK(gpus(of_cluster(two_hosts, {.worker_gpu = 2})) == "0 1 2 3 0 1 4 5 6 7");
  CHECK(gpus(of_cluster(two_hosts, {.worker_gpu = 0})) == "- - - - -");
  // The host of an evaluator outside the cluster is unknown.
  CHECK(gpus(of_cluster(R"({"cluster": {"chief": ["a:1"]}, "task": {"type": "evaluator", "index": 0}})")) == "0 -");
  const std::string led =
      R"({"cluster": {"master": ["a:1"], "ps": ["a:2", "a:3"]}, "task": {"type": "ps", "index": 0}})";
  CHECK(gpus(of_cluster(led)) == "- 0 1");
  CHECK(gpus(of_cluster(led, {.worker_gpu = 1, .ps_gpu = 0})) == "0 - -");
}

TEST_CASE("ranks of a cluster: parameter servers come last, are one rank each, and have no GPU") {
  const RankList list =
      of_cluster(R"({"cluster": {"ps": ["a:1", "c:1"], "worker": ["a:2", "b:1"]}})", {.worker_gpu = 2, .ps_gpu = 2});
  CHECK(places(list) == "0 worker 0 a; 1 worker 0 a; 2 worker 1 b; 3 worker 1 b; 4 ps 0 a; 5 ps 1 c");
  CHECK(gpus(list) == "0 1 0 1 - -");
  CHECK(list.ranks[3].role == Role::worker);
  CHECK(list.ranks[4].role == Role::parameter_server);
  CHECK(list.ranks[5].role == Role::parameter_server);
}

TEST_CASE("ranks of a cluster: one that names nobody is this process") {
  const RankList list = of_cluster("{}");
  CHECK(places(list) == "0 chief 0 localhost");
}

TEST_CASE("ranks of Slurm's lists: a step's, else the job's") {
  const Environment job = fake_environment({{"SLURM_JOB_NODELIST", "n[08-09]"},
                                            {"SLURM_TASKS_PER_NODE", "2,1"},
                                            {"SLURM_STEP_NODELIST", "n09"},
                                            {"SLURM_STEP_TASKS_PER_NODE", "1"}});
  CHECK(places(*ranks_in_slurm(job, false)) == "0 chief 0 n08; 1 worker 0 n08; 2 worker 1 n09");
  CHECK(ranks_in_slurm(job, false)->ranks[1].address == "n08:2223");
  CHECK(places(*ranks_in_slurm(job, true)) == "0 chief 0 n09");
  CHECK_FALSE(ranks_in_slurm(fake_environment({}), true).has_value());
  CHECK(refusal(ExitCode::configuration, [] {
          ranks_in_slurm(fake_environment({{"SLURM_JOB_NODELIST", "a"}}), false);
        }) == "SLURM_JOB_NODELIST is set, but SLURM_TASKS_PER_NODE is not: both are needed to say where the ranks are");
  CHECK(refusal(ExitCode::configuration, [] { ranks_of_slurm("a,b", "1", "--hostlist"); }) ==
        "--hostlist stands for 2 hosts, and the list of tasks for 1; they have to be as many");
}

TEST_CASE("ranks of Grid Engine's PE_HOSTFILE: a host of two queues gets its ranks where it stands first") {
  const RankList list =
      ranks_of_pe_hostfile("g1 2 all.q@g1 UNDEFINED\ng2 1 all.q@g2 UNDEFINED\ng1 2 long.q@g1 UNDEFINED\n", "hosts");
  CHECK(places(list) == "0 chief 0 g1; 1 worker 0 g1; 2 worker 1 g1; 3 worker 2 g1; 4 worker 3 g2");
  CHECK(refusal(ExitCode::bad_data, [] { ranks_of_pe_hostfile("\ng1\n", "hosts"); }) ==
        "hosts:2: expected HOST SLOTS QUEUE CORES");
  CHECK(refusal(ExitCode::bad_data, [] { ranks_of_pe_hostfile("g1 -1 q UNDEFINED\n", "hosts"); }) ==
        "hosts:1: '-1': expected the number of slots, from 0 to 262144");
}

TEST_CASE("ranks of a hostfile: slots, or a line for each") {
  const RankList list = ranks_of_hostfile("# ours\nme@n1 slots = 2 max_slots=4\nfd00::2\n\nfd00::2 # again\r\n", "h");
  CHECK(places(list) == "0 chief 0 n1; 1 worker 0 n1; 2 worker 1 fd00::2; 3 worker 2 fd00::2");
  CHECK(list.warnings.empty());
  CHECK(list.hostfile == "h");
  CHECK(ranks_of_hostfile("n1\n", "h").warnings ==
        std::vector<std::string>{
            "h:1: 'n1' has no slots=N: it counts as one rank here, and mpirun takes as many as it has cores"});
  const auto refused = [](const char* text) {
    return refusal(ExitCode::bad_data, [text] { ranks_of_hostfile(text, "h"); });
  };
  CHECK(refused("n1 slots=1\nn1 slots=1\n").starts_with("h:2: 'n1' stands in line 1 as well: mpirun takes one line"));
  CHECK(refused("n1 4\n") == "h:1: '4': expected slots=N or max_slots=N after the host");
  CHECK(refused("n1 slots=x\n") == "h:1: 'x': expected the number of slots, from 0 to 262144");
  CHECK(refused("n1 slots=262144\nn2 slots=1\n") == "h:2: the file has more than 262144 slots");
  // mpirun accepts HOST:N in --host only; in a hostfile it looks for a host of this name.
  CHECK(refused("n1:2\n") == "h:1: 'n1:2': a hostfile has the number after the host: n1 slots=2");
  CHECK(refused("me@10.0.0.1:2 slots=1\n") ==
        "h:1: 'me@10.0.0.1:2': a hostfile has the number after the host: 10.0.0.1 slots=2");
  CHECK(refused("n1:x\n") ==
        "h:1: 'n1:x': expected the name of a host, or its numeric address without brackets and port");
  CHECK(refused("[::1]:2222\n").starts_with("h:1: '[::1]:2222': expected the name of a host, or its numeric"));
  CHECK(refused("^n1\n") == "h:1: '^n1': expected the name of a host");
}

TEST_CASE("a process of a launcher: what its variables say, and when a list is that of its job") {
  const Environment mpirun = fake_environment({{"OMPI_COMM_WORLD_SIZE", "3"},
                                               {"OMPI_COMM_WORLD_RANK", "2"},
                                               {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                                               {"OMPI_COMM_WORLD_LOCAL_SIZE", "1"},
                                               {"PMIX_HOSTNAME", "n2"},
                                               {"SLURM_PROCID", "1"}});
  const auto own = own_process(mpirun);
  REQUIRE(own.has_value());
  CHECK(own->rank == 2);
  CHECK(own->host == "n2");
  CHECK(agrees(ranks_of_slurm("n[1-2]", "2,1", "--hostlist"), *own));
  CHECK_FALSE(agrees(ranks_of_slurm("n[1-2]", "1,2", "--hostlist"), *own));
  CHECK_FALSE(agrees(ranks_of_slurm("n[1-2]", "2,2", "--hostlist"), *own));

  const RankList alone = ranks_of_launcher(*own);
  CHECK(places(alone) == "2 worker 1 n2");
  CHECK_FALSE(alone.is_complete());

  const auto step = own_process(fake_environment({{"SLURM_STEP_ID", "0"},
                                                  {"SLURM_STEP_NUM_TASKS", "5"},
                                                  {"SLURM_STEP_TASKS_PER_NODE", "3,2"},
                                                  {"SLURM_PROCID", "4"},
                                                  {"SLURM_LOCALID", "1"},
                                                  {"SLURM_NODEID", "1"}}));
  REQUIRE(step.has_value());
  CHECK(step->rank == 4);
  CHECK(step->local_size == 2);
  CHECK_FALSE(own_process(fake_environment({{"SLURM_JOB_NODELIST", "a"}, {"NSLOTS", "4"}})).has_value());
  CHECK(refusal(ExitCode::configuration, [] {
          own_process(fake_environment({{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "2"}}));
        }).find("contradict each other: rank 2 of 2") != std::string::npos);
}

TEST_CASE("ranks of a cluster of 4096 tasks take milliseconds") {
  ClusterSpec cluster;
  cluster.jobs.push_back({.name = "chief", .tasks = {{0, "node0000:2222"}}});
  cluster.jobs.push_back({.name = "worker", .tasks = {}});
  for (int i = 0; i < 4095; ++i) cluster.jobs[1].tasks[i] = fmt::format("node{:04}:2222", i + 1);
  const std::string text = tf_config_text(cluster, {"worker", 17});
  auto fastest = std::chrono::steady_clock::duration::max();
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const RankList list = of_cluster(text);
    const std::string written = mpirun_line(list, "hosts") + hostfile_text(list);
    fastest = std::min(fastest, std::chrono::steady_clock::now() - start);
    CHECK(list.world_size == 4096);
    CHECK(written.starts_with("mpirun -np 4096 --hostfile hosts --bind-to none build/train\nnode0000 slots=1\n"));
  }
  const double ms = std::chrono::duration<double, std::milli>(fastest).count();
  MESSAGE("from TF_CONFIG to a hostfile: ", ms, " ms");
  CHECK(ms < 1000);  // typically 5 ms; a sanitizer or a busy machine needs longer
}

}  // namespace lockstep
