#include "launch/tools/translate/formats/rank_formats.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "launch/cluster/tf_config.h"
#include "launch/tools/translate/sources/rank_sources.h"

namespace lockstep {
namespace {

// Hosts with two ranks on a, one on b, two on an IPv6 address.
const std::vector<HostRun> kHosts = {
    {.host = "a", .ranks = 2}, {.host = "b", .ranks = 1}, {.host = "fd00::2", .ranks = 2}};

RankList five_ranks() { return list_of_hosts("hosts", kHosts); }

// Neighbouring ranks are on different hosts.
RankList alternating() {
  const std::vector<HostRun> hosts = {{.host = "a", .ranks = 1}, {.host = "b", .ranks = 1}, {.host = "a", .ranks = 1}};
  return list_of_hosts("hosts", hosts);
}

std::string refusal(std::string (*format)(const RankList&), const RankList& list) {
  try {
    format(list);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::configuration);
    return error.what();
  }
  return "";
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("ranks as Open MPI's hostfile and rankfile") {
  CHECK(hostfile_text(five_ranks()) == "a slots=2\nb slots=1\nfd00::2 slots=2\n");
  CHECK(hostfile_text(alternating()) == "# A rank a line: mpirun --map-by seq keeps this order.\na\nb\na\n");
  CHECK(rankfile_text(five_ranks()) ==
        "rank 0=a slot=0\nrank 1=a slot=1\nrank 2=b slot=0\nrank 3=fd00::2 slot=0\nrank 4=fd00::2 slot=1\n");
  CHECK(rankfile_text(alternating()) == "rank 0=a slot=0\nrank 1=b slot=0\nrank 2=a slot=1\n");
}

TEST_CASE("a file of hosts is recognised") {
  for (const RankList& list : {five_ranks(), alternating()}) CHECK(is_hostfile_text(hostfile_text(list)));
  CHECK(is_hostfile_text(""));
  CHECK(is_hostfile_text("# by hand\nn1 slots=4\n"));
  for (const char* text : {"precious\n", "a slots=2\nto be done\n", "a slots=2 b\n"}) CHECK(!is_hostfile_text(text));
}

TEST_CASE("ranks as an app file: each line grants its host all the slots that the file uses there") {
  CHECK(app_file_text(alternating()) ==
        "-np 1 --host a:2 build/train\n-np 1 --host b:1 build/train\n-np 1 --host a:2 build/train\n");
  CHECK(
      refusal(app_file_text, five_ranks()).starts_with("fd00::2 is an IPv6 address, which mpirun takes in hostfiles"));
}

TEST_CASE("ranks as mpirun's line: the hosts are in a file, the flags and TF_CONFIG go along") {
  RankList list = five_ranks();
  CHECK(mpirun_line(list, "my hosts") == "mpirun -np 5 --hostfile 'my hosts' --bind-to none build/train\n");
  list.variables = {{.name = "TF_CONFIG"}};
  list.train_flags = {"--sync", "--ps_hosts=it's"};
  CHECK(mpirun_line(list, "hosts") ==
        "mpirun -np 5 --hostfile hosts --bind-to none -x TF_CONFIG build/train --sync '--ps_hosts=it'\\''s'\n");
  list.train_flags.clear();
  list.variables = {{.name = "TF_CONFIG", .value = "{it's}"}, {.name = "TYPE", .value = ""}, {.name = "PS_HOSTS"}};
  CHECK(mpirun_line(list, "hosts") ==
        "TF_CONFIG='{it'\\''s}' TYPE= mpirun -np 5 --hostfile hosts --bind-to none -x TF_CONFIG -x TYPE -x PS_HOSTS "
        "build/train\n");
  CHECK(mpirun_line(alternating(), "hosts") ==
        "mpirun -np 3 --hostfile hosts --map-by seq --bind-to none build/train\n");
  CHECK(mpirun_commands(five_ranks()) ==
        "hosts=$(mktemp)\ncat >\"$hosts\" <<'END'\na slots=2\nb slots=1\nfd00::2 slots=2\nEND\n"
        "mpirun -np 5 --hostfile \"$hosts\" --bind-to none build/train\n");
}

TEST_CASE("ranks as job scripts: nodes and tasks") {
  const std::string uneven = sbatch_script(five_ranks());
  CHECK(uneven.starts_with("#!/bin/bash\n"));
  CHECK(holds(uneven, "\n#SBATCH --nodes=3\n"));
  CHECK(holds(uneven, "\n#SBATCH --ntasks=5\n"));
  CHECK(holds(uneven, "\nflags=()\n"));
  const std::vector<HostRun> even = {{.host = "a", .ranks = 3}, {.host = "b", .ranks = 3}};
  RankList list = list_of_hosts("hosts", even);
  list.train_flags = {"--sync", "--worker_gpu=3"};
  CHECK(holds(sbatch_script(list), "\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=3\n"));
  CHECK(holds(sbatch_script(list), "\nflags=(--sync --worker_gpu=3)\n"));

  CHECK(holds(qsub_script(list), "\n#$ -pe mpi 6\n"));
  CHECK(holds(qsub_script(list), "\nexec ./train.sge \"$output_dir\" --sync --worker_gpu=3 \"$@\"\n"));
  CHECK_FALSE(holds(qsub_script(list), "#$ -v"));
  list.variables = {{.name = "TF_CONFIG"}, {.name = "TYPE"}};
  CHECK(holds(qsub_script(list), "\n#$ -v TF_CONFIG\n#$ -v TYPE\n"));
  CHECK_FALSE(holds(qsub_script(list), "export"));
  CHECK_FALSE(holds(sbatch_script(list), "export"));  // sbatch passes all variables on
  list.variables[0].value = "{}";
  CHECK_FALSE(holds(qsub_script(list), "#$ -v TF_CONFIG"));
  CHECK(holds(qsub_script(list), "\nexport TF_CONFIG='{}'\n"));
  CHECK(holds(sbatch_script(list), "\nexport TF_CONFIG='{}'\n"));
}

TEST_CASE("ranks as TF_CONFIG and torchrun's variables, each its own") {
  const RankList list = five_ranks();
  CHECK(tf_config_line(list, list.ranks[4]) ==
        R"({"cluster": {"chief": ["a:2222"], "worker": ["a:2223", "b:2222", "[fd00::2]:2222", "[fd00::2]:2223"]}, )"
        R"("task": {"type": "worker", "index": 3}})"
        "\n");
  CHECK(torchrun_line(list, list.ranks[3]) ==
        "RANK=3 WORLD_SIZE=5 LOCAL_RANK=0 LOCAL_WORLD_SIZE=2 MASTER_ADDR=a MASTER_PORT=29500\n");
  CHECK(torchrun_line(list, list.ranks[2]) ==
        "RANK=2 WORLD_SIZE=5 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 MASTER_ADDR=a MASTER_PORT=29500\n");
  // TF_CONFIG is read back to the same ranks.
  const RankList back = ranks_of_cluster(read_tf_config(tf_config_line(list, list.ranks[4]), "TF_CONFIG"), {});
  CHECK(hostfile_text(back) == hostfile_text(list));
}

TEST_CASE("ranks as a table and as JSON") {
  RankList list = alternating();
  const std::string table = explain_ranks(list, list.ranks);
  CHECK(table.starts_with("hosts: 3 ranks on 2 hosts\n\n"));
  CHECK(holds(table, "worker 1     a   a:2223           1    1\n"));
  list.own_rank = 1;
  CHECK(ranks_json(list, std::span(&list.ranks[1], 1)) ==
        R"({"source":"hosts","world_size":3,"ranks":[{"rank":1,"role":"worker","task":{"type":"worker","index":0},)"
        R"("host":"b","address":"b:2222","local_rank":0,"gpu":0}],"evaluators":[],"warnings":[]})"
        "\n");
}

TEST_CASE("a table of who computes on which GPU, and of the processes to start") {
  const RankList list = ranks_of_cluster(
      read_tf_config(R"({"cluster": {"chief": ["a:1"], "worker": ["a:2", "b:1"], "evaluator": ["a:3"]}})", "TF_CONFIG"),
      {});
  std::vector<RankEntry> all = list.ranks;
  all.push_back(list.evaluators.at(0));
  const std::string table = explain_ranks(list, all);
  CHECK(table.starts_with(": 3 ranks and 1 evaluator, 4 processes on 2 hosts\n\n"));
  CHECK(holds(table, "chief 0     a      a:1           0    0\n"));
  CHECK(holds(table, "worker 0     a      a:2           1    1\n"));
  CHECK(holds(table, "worker 1     b      b:1           0    0\n"));
  CHECK(holds(table, "evaluator 0     a      a:3           0    2\n"));

  const RankList led = ranks_of_cluster(
      read_tf_config(R"({"cluster": {"master": ["a:1"], "ps": ["b:1"]}, "task": {"type": "ps", "index": 0}})",
                     "TF_CONFIG"),
      {});
  CHECK(holds(explain_ranks(led, led.ranks), "chief without data  master 0"));
}

TEST_CASE("a host that a launcher could not start on is refused with its task") {
  RankList list = five_ranks();
  list.ranks[1].host = "";
  CHECK(refusal(hostfile_text, list) ==
        "worker 0: the host is not known; give worker 0 an address, host:port, in the cluster");
  list.ranks[1].host = "b\nEND\nrm";
  CHECK(refusal(mpirun_commands, list).starts_with("worker 0: 'b\\nEND\\nrm' is no name of a host"));
  list.ranks[1].host = "b:2";
  CHECK(refusal(hostfile_text, list).starts_with("worker 0: 'b:2' is no name of a host"));
  list.ranks.resize(1);
  CHECK(refusal(rankfile_text, list).starts_with("only rank 0 of 5 is known from hosts"));
}

}  // namespace lockstep
