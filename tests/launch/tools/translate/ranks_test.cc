#include "launch/tools/translate/ranks.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "launch/tools/translate.h"
#include "support/fake_environment.h"

namespace lockstep {
namespace {

using Variables = std::map<std::string, std::string>;

struct Translated {
  ExitCode code = ExitCode::done;
  std::string out;
  std::string err;
};

Translated run(const std::vector<std::string>& args, const Variables& variables = {}) {
  Translated done;
  try {
    done.code = translate(
        args, fake_environment(variables), [&](std::string_view text) { done.out += text; },
        [&](std::string_view text) { done.err += text; });
  } catch (const Error& error) {
    done.code = error.code();
    done.err += error.what();
  }
  return done;
}

const std::string kTfConfig = R"({"cluster": {"chief": ["a:1"], "worker": ["b:1", "b:2"]}})";

Variables of_mpirun(const std::string& rank, const std::string& size, const std::string& local_rank,
                    const std::string& local_size) {
  return {{"OMPI_COMM_WORLD_RANK", rank},
          {"OMPI_COMM_WORLD_SIZE", size},
          {"OMPI_COMM_WORLD_LOCAL_RANK", local_rank},
          {"OMPI_COMM_WORLD_LOCAL_SIZE", local_size},
          {"PMIX_HOSTNAME", "b"}};
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("translate: ranks from the environment's TF_CONFIG or from flags") {
  CHECK(run({"--format=hostfile"}, {{"TF_CONFIG", kTfConfig}}).out == "a slots=1\nb slots=2\n");
  CHECK(run({"--format=hostfile", "--tf_config", kTfConfig}, {{"TF_CONFIG", "no JSON"}}).out ==
        "a slots=1\nb slots=2\n");
  const Translated classic = run({"--format=appfile", "--worker_hosts=a:1,b:1", "--worker_gpu=2"});
  CHECK(classic.out ==
        "-np 2 --host a:2 build/train --worker_gpu=2 --worker_hosts=a:1,b:1\n"
        "-np 2 --host b:2 build/train --worker_gpu=2 --worker_hosts=a:1,b:1\n");
  CHECK(holds(classic.err, "warning: worker 0 (a:1) is the chief"));
  CHECK(run({"--format=hostfile", "--hostlist=n[1-2]", "--tasks_per_node=1,3"}).out == "n1 slots=1\nn2 slots=3\n");
  CHECK(holds(run({"--format=json", "--hostlist=n[1-2]", "--tasks_per_node=1,3"}).out, R"("world_size":4)"));
  CHECK(holds(run({"--tf_config={}"}).out, R"("world_size":1)"));
}

TEST_CASE("translate: ranks of a scheduler's job") {
  const Variables slurm = {{"SLURM_JOB_NODELIST", "n[1-2]"}, {"SLURM_TASKS_PER_NODE", "2,1"}};
  CHECK(run({"--format=hostfile"}, slurm).out == "n1 slots=2\nn2 slots=1\n");
  CHECK(holds(run({"--explain"}, slurm).out, "SLURM_JOB_NODELIST: 3 ranks on 2 hosts"));
  CHECK(run({"--format=hostfile"}, {{"PE_HOSTFILE", "/nowhere/hosts"}}).code == ExitCode::missing_input);
}

TEST_CASE("translate: each process of a job gets its own place") {
  Variables variables = of_mpirun("2", "3", "1", "2");
  // Nothing else is known, and rank 0 is on another host.
  CHECK(run({"--format=torchrun"}, variables).code == ExitCode::configuration);
  CHECK(run({"--format=hostfile"}, variables).code == ExitCode::configuration);
  CHECK(run({"--format=tf_config"}, variables).code == ExitCode::configuration);
  variables["MASTER_ADDR"] = "a";
  const std::string mine = "RANK=2 WORLD_SIZE=3 LOCAL_RANK=1 LOCAL_WORLD_SIZE=2 MASTER_ADDR=a MASTER_PORT=29500\n";
  CHECK(run({"--format=torchrun"}, variables).out == mine);
  variables.erase("MASTER_ADDR");

  variables["TF_CONFIG"] = kTfConfig;
  CHECK(run({"--format=torchrun"}, variables).out == mine);
  CHECK(run({"--format=tf_config"}, variables).out ==
        R"({"cluster": {"chief": ["a:1"], "worker": ["b:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"
        "\n");
  variables.erase("TF_CONFIG");

  // The allocation belongs to this job, or is a larger one.
  variables["SLURM_JOB_NODELIST"] = "a,b";
  variables["SLURM_TASKS_PER_NODE"] = "1,2";
  CHECK(run({"--format=torchrun"}, variables).out == mine);
  variables["SLURM_TASKS_PER_NODE"] = "8(x2)";
  CHECK(run({"--format=torchrun"}, variables).out == mine);
  // Slurm's variables for mpirun's daemons on other hosts: the job's hosts, but only their own number of tasks.
  variables["SLURM_TASKS_PER_NODE"] = "1";
  CHECK(run({"--format=torchrun"}, variables).out == mine);

  const Variables one_host = of_mpirun("2", "3", "2", "3");
  CHECK(holds(run({"--format=tf_config"}, one_host).out,
              R"("worker": ["b:2223", "b:2224"]}, "task": {"type": "worker", )"));
  CHECK(run({"--format=hostfile"}, one_host).out == "b slots=3\n");
}

TEST_CASE("translate: what contradicts is refused") {
  const Translated other_address = run({"--format=hostfile", "--worker_hosts=c:1"}, {{"TF_CONFIG", kTfConfig}});
  CHECK(other_address.code == ExitCode::configuration);
  CHECK(holds(other_address.err, "2 tasks by TF_CONFIG and 1 by --worker_hosts"));
  const Translated other_number = run({"--format=json", "--worker_replicas=2"}, {{"TF_CONFIG", kTfConfig}});
  CHECK(other_number.code == ExitCode::configuration);
  CHECK(holds(other_number.err, "--worker_replicas=2, but the cluster has 3"));
  CHECK(run({"--hostfile=h", "--format=json"}, {{"TF_CONFIG", kTfConfig}}).err ==
        "--hostfile and a cluster in TensorFlow's terms both say where the ranks are; leave one of them out (unset "
        "TF_CONFIG)");
  Variables elsewhere = of_mpirun("0", "4", "0", "4");
  elsewhere["TF_CONFIG"] = kTfConfig;
  CHECK(holds(run({"--format=torchrun"}, elsewhere).err, "TF_CONFIG describes 3 ranks, but the launcher "));
}

TEST_CASE("translate: mpirun's line passes on what described the cluster, and sets what is not set here") {
  const auto line = [](const std::vector<std::string>& args, const Variables& variables) {
    std::vector<std::string> all = args;
    all.emplace_back("--format=mpirun");
    const std::string out = run(all, variables).out;
    return out.substr(out.find("END\n", out.find("END") + 3) + 4);
  };
  const std::string mpirun = "mpirun -np 3 --hostfile \"$hosts\" --bind-to none";
  CHECK(line({}, {{"TF_CONFIG", kTfConfig}}) == mpirun + " -x TF_CONFIG build/train\n");
  const std::string with_task =
      R"(TF_CONFIG='{"cluster": {"chief": ["a:1"], "worker": ["b:1", "b:2"]}, "task": {"type": "chief", "index": 0}}' )";
  CHECK(line({"--tf_config", kTfConfig}, {{"TF_CONFIG", "another"}}) ==
        with_task + mpirun + " -x TF_CONFIG build/train\n");

  Variables gradient = {
      {"WORKER_HOSTS", "a:1,b:1,b:2"}, {"TYPE", "worker"}, {"INDEX", "1"}, {"PS_MODEL_PATH", "/runs"}};
  CHECK(line({}, gradient) == mpirun + " -x WORKER_HOSTS -x TYPE -x INDEX -x PS_MODEL_PATH build/train\n");
  gradient["TYPE"] = "evaluator";  // all processes would be evaluators
  CHECK(line({}, gradient) ==
        R"(TF_CONFIG='{"cluster": {"worker": ["a:1", "b:1", "b:2"]}, "task": {"type": "worker", "index": 0}}' )"
        "WORKER_HOSTS= TYPE= INDEX= " +
            mpirun + " -x TF_CONFIG -x WORKER_HOSTS -x TYPE -x INDEX -x PS_MODEL_PATH build/train\n");
  const Variables base64 = {
      {"PS_CONFIG", "eyJjbHVzdGVyIjogeyJjaGllZiI6IFsiYToxIl0sICJ3b3JrZXIiOiBbImI6MSIsICJiOjIiXX19"}, {"TYPE", ""}};
  CHECK(line({}, base64) == mpirun + " -x PS_CONFIG build/train\n");
  const Variables vertex{{"CLUSTER_SPEC", R"({"cluster": {"workerpool0": ["a:1"], "workerpool1": ["b:1", "b:2"]}})"}};
  CHECK(line({}, vertex) == mpirun + " -x CLUSTER_SPEC build/train\n");
  CHECK(line({"--tf_config", kTfConfig}, {{"TYPE", "worker"}, {"INDEX", "1"}}) ==
        with_task.substr(0, with_task.size() - 1) + " TYPE= INDEX= " + mpirun +
            " -x TF_CONFIG -x TYPE -x INDEX build/train\n");
  CHECK(line({"--worker_hosts=a:1,b:1,b:2"}, {{"TYPE", "x"}}) == mpirun + " build/train --worker_hosts=a:1,b:1,b:2\n");

  const Translated app_file = run({"--format=appfile", "--tf_config", kTfConfig});
  CHECK(holds(app_file.err, "before mpirun --app, export TF_CONFIG as --format=mpirun sets it"));
  CHECK_FALSE(holds(run({"--format=appfile"}, {{"TF_CONFIG", kTfConfig}}).err, "app file"));
}

TEST_CASE("translate: parameter servers are ranks of their own in every format") {
  const std::string servers = R"(--tf_config={"cluster": {"ps": ["c:1"], "chief": ["a:1"], "worker": ["b:1"]}})";
  const std::string explained = run({servers, "--explain"}).out;
  CAPTURE(explained);
  CHECK(holds(explained, "  2     parameter server      ps 0     c      c:1           0    -\n"));
  CHECK(holds(run({servers, "--format=json"}).out,
              R"("role":"parameter server","task":{"type":"ps","index":0},"host":"c",)"));
  CHECK(run({servers, "--format=hostfile"}).out == "a slots=1\nb slots=1\nc slots=1\n");
  CHECK(holds(run({servers, "--format=mpirun"}).out, "mpirun -np 3 "));
  const std::string own = run({servers, "--reader=lockstep"}).out;
  CHECK(holds(own, R"("num_workers":2,"num_ps":1,)"));
  CHECK(holds(own, R"("world_size":null)"));  // no task is named
}

TEST_CASE("translate: within a job the evaluators' processes count") {
  const std::string cluster = R"({"cluster": {"chief": ["b:1"], "evaluator": ["b:2"]}})";
  Variables variables = of_mpirun("1", "2", "1", "2");
  variables["TF_CONFIG"] = cluster;
  const Translated shown = run({"--explain"}, variables);
  CHECK(holds(shown.out, "TF_CONFIG: 1 rank and 1 evaluator, 2 processes on 1 host\n"));
  CHECK(holds(shown.out, "the launcher numbers this process 1\n"));
  Variables too_few = of_mpirun("0", "1", "0", "1");
  too_few["TF_CONFIG"] = cluster;
  CHECK(run({"--explain"}, too_few).code == ExitCode::configuration);
}

TEST_CASE(
    "translate: a task without its cluster is refused as train refuses it, the first one is a process by itself") {
  const Translated lost = run({"--explain", "--job_name=worker", "--task_index=2"});
  CHECK(lost.code == ExitCode::configuration);
  CHECK(
      lost.err.starts_with("--job_name, --task_index: worker 2 is a task of a cluster that nothing describes; give "));
  CHECK(holds(run({"--explain", "--job_name=worker"}).out, "1 rank on 1 host"));
}

TEST_CASE("translate: of a flag of train's that says nothing of a cluster it says so") {
  const Translated refused = run({"--explain", "--ps_replicas=2", "--master=grpc://a:1"});
  CHECK(refused.code == ExitCode::usage);
  CHECK(refused.err == "unknown flag --master: it is train's, and does not say who runs where; leave it out");
}

TEST_CASE("translate: TF_CONFIG for each rank keeps the environment of the one that was read") {
  const std::string cloud =
      R"({"cluster": {"master": ["a:1"], "ps": ["b:1"]}, "task": {"type": "ps", "index": 0}, "environment": "cloud"})";
  const Translated lines = run({"--format=tf_config"}, {{"TF_CONFIG", cloud}});
  CHECK(holds(lines.out, R"("task": {"type": "ps", "index": 0}, "environment": "cloud"})"));
}

TEST_CASE("translate: TYPE and INDEX have to name the task that TF_CONFIG names, as in train") {
  const std::string second = R"({"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 1}})";
  const Variables other{{"TF_CONFIG", second}, {"TYPE", "worker"}, {"INDEX", "0"}};
  CHECK(holds(run({"--format=hostfile"}, other).err, "worker 1 by TF_CONFIG and worker 0 by TYPE, INDEX"));
  CHECK(run({"--format=hostfile", "--tf_config", second}, other).out == "a slots=1\nb slots=1\n");
}

TEST_CASE("translate: an empty TF_CONFIG counts as not set, as in train") {
  CHECK(run({"--format=hostfile", "--worker_hosts=a:1"}, {{"TF_CONFIG", ""}}).out == "a slots=1\n");
}

TEST_CASE("translate: without a source it says what it looked for") {
  const Translated none = run({"--explain"});
  CHECK(none.code == ExitCode::configuration);
  for (const char* name :
       {"--hostfile", "--tf_config", "TF_CONFIG", "SLURM_JOB_NODELIST", "PE_HOSTFILE", "OMPI_COMM_WORLD_SIZE"}) {
    CHECK(holds(none.err, name));
  }
  CHECK(run({"--hostfile=/nowhere/hosts", "--format=mpirun"}).code == ExitCode::missing_input);
  CHECK(run({"--explain", "--format=json", "--tf_config={}"}).code == ExitCode::usage);
  CHECK(run({"--format=hostfile", "--output=x", "--tf_config={}"}).code == ExitCode::usage);
}

TEST_CASE("translate: the lockstep reader refuses with 78 and its own message") {
  const Translated refused = run({"--reader=lockstep", R"(--tf_config={"cluster": {"worker": "a:1"}})"});
  CHECK(refused.code == ExitCode::configuration);
  CHECK(refused.err.starts_with("--tf_config: cluster.worker: "));
  CHECK(run({"--reader=lockstep"}).out ==
        R"({"role":"worker","task_id":0,"is_chief":true,"num_workers":1,"num_ps":0,"id_in_cluster":0,"master":null,)"
        R"("cluster":{},"device_filters":null,"rank":0,"world_size":1,"warnings":[]})"
        "\n");
}

}  // namespace lockstep
