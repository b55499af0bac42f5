#include "launch/tools/translate.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "launch/flags/command_line.h"
#include "launch/flags/exit_code_help.h"
#include "launch/tools/translate/hparams.h"
#include "launch/tools/translate/ranks.h"
#include "launch/tools/translate/slurm_lists.h"
#include "launch/tools/translate/tf_config.h"

namespace lockstep {
namespace {

constexpr const char* kProgram = "lockstep translate";

constexpr const char* kHParams = "Hyperparameters";
constexpr const char* kSlurm = "Slurm";
constexpr const char* kCluster = "TF_CONFIG, and the flags that describe a cluster";
constexpr const char* kHosts = "Open MPI";
constexpr const char* kShown = "What is shown";

constexpr Flag kFlags[] = {
    {kHParams, "hparams_base", "JSON", "", "The set to start from, as one flat JSON object"},
    {kHParams, "hparams", "LIST", "", "Changes to it, in tensor2tensor's grammar: name=value,name=[v,v]"},
    {kSlurm, "hostlist", "LIST", "", "Hosts as Slurm writes them: SLURM_JOB_NODELIST, SLURM_STEP_NODELIST"},
    {kSlurm, "tasks_per_node", "LIST", "", "How many tasks on each: SLURM_TASKS_PER_NODE, SLURM_STEP_TASKS_PER_NODE"},
    {kCluster, "reader", "READER", "",
     "Whose view of it is shown: lockstep = train's; estimator = tf.estimator's RunConfig; contrib = contrib.learn's, "
     "which tensor2tensor uses for a cluster without a chief; resolver = tf.distribute's"},
    {kCluster, "tf_config", "JSON", "", "Its value, if it is not that of the environment"},
    {kCluster, "ps_hosts", "LIST", "", "Addresses HOST:PORT of the ps tasks"},
    {kCluster, "worker_hosts", "LIST", "", "Addresses HOST:PORT of the workers"},
    {kCluster, "job_name", "JOB", "", "This process's job: worker, ps, evaluator"},
    {kCluster, "task_index", "N", "", "Its number within its job"},
    {kCluster, "sync", "", "", "The ps tasks compute, all in step"},
    {kCluster, "worker_replicas", "N", "", "How many workers the cluster should have, its chief or master among them"},
    {kCluster, "ps_replicas", "N", "", "How many ps tasks it should have"},
    {kCluster, "worker_gpu", "N", "", "Ranks of a chief, master, worker or evaluator; one if it is not given"},
    {kCluster, "ps_gpu", "N", "", "Ranks of a ps task that computes; one if it is not given"},
    {kHosts, "hostfile", "FILE", "", "A file of hosts as mpirun takes it: HOST slots=N"},
    {kShown, "format", "FORMAT", "json",
     "json; or of ranks: hostfile, rankfile, appfile = Open MPI's files; mpirun = the command line; sbatch, qsub = a "
     "job script; tf_config, torchrun = what to set for each rank, a line for each"},
    {kShown, "explain", "", "", "A table of the ranks, for people"},
    {kShown, "output", "FILE", "",
     "With --format=mpirun: write the hosts to FILE, and print one line that refers to it"},
    {kShown, "help", "", "", "Show this text, and end"},
};

ExitCode print_help(const Print& print) {
  print(
      "lockstep translate: turns the description of a job by TensorFlow, Slurm, Grid Engine or Open MPI into another\n"
      "of these, and shows what Lockstep makes of tensor2tensor's hyperparameters.\n"
      "\n"
      "  lockstep translate --explain\n"
      "  lockstep translate --format=mpirun --output=hosts\n"
      "  lockstep translate --hostfile=hosts --format=sbatch >train.sbatch\n"
      "  mpirun -np 4 bash -c 'export $(lockstep translate --format=torchrun) && exec python train.py'\n"
      "\n"
      "The ranks are those of --hostfile, else of TF_CONFIG or the flags that describe a cluster, else of\n"
      "--hostlist with --tasks_per_node, else those of the job that it runs in: Slurm's (SLURM_STEP_NODELIST,\n"
      "SLURM_JOB_NODELIST), Grid Engine's (PE_HOSTFILE), mpirun's (OMPI_COMM_WORLD_RANK and its like). Each process\n"
      "that mpirun or srun has started gets the lines of json, tf_config and torchrun for itself alone. The line of\n"
      "mpirun with -x TF_CONFIG is for a shell in which TF_CONFIG is set.\n"
      "\n"
      "  lockstep translate --hparams_base='{\"hidden_size\": 512, \"dropout\": 0.1}' --hparams=dropout=0.2\n"
      "\n"
      "prints the base with the changes applied, as one line of JSON. A value's type is that of the base:\n"
      "2 is an integer, 2.0 a number.\n"
      "\n"
      "  lockstep translate --hostlist='n[08-10],login'\n"
      "  lockstep translate --tasks_per_node='2(x3),1'\n"
      "  lockstep translate --hostlist='n[08-10],login' --tasks_per_node='2(x3),1'\n"
      "\n"
      "prints the list with each of its hosts or numbers, as one line of JSON; of both, the host of each rank\n"
      "and its number there, as srun places them unless --distribution says otherwise: host by host, in the\n"
      "order of the list.\n"
      "\n"
      "  lockstep translate --reader=lockstep\n"
      "  lockstep translate --reader=estimator\n"
      "  lockstep translate --reader=resolver --tf_config='{\"cluster\": {\"worker\": [\"a:1\", \"b:1\"]}}'\n"
      "\n"
      "prints what train, or a program of TensorFlow's, finds in TF_CONFIG, as one line of JSON: its role, whether it "
      "is\n"
      "the chief, how many workers it counts, the address of its session, ... The readers of TF_CONFIG\n"
      "disagree, and so may their answers. null: it knows no such thing; {\"error\": ...}: to ask it for the\n"
      "value raises this exception. Where the reader refuses TF_CONFIG as a whole, its message goes to the\n"
      "standard error, and the exit code is 78.\n"
      "\n" +
      flags_help(kFlags) + "\n" + exit_code_help());
  return ExitCode::done;
}

[[noreturn]] void refuse_translation(const std::string& why) { throw Error(ExitCode::usage, why, Scope::every_rank); }

// Whether a flag of the group is given.
bool has(const CommandLine& line, std::string_view group) {
  return std::ranges::any_of(kFlags, [&](const Flag& flag) { return flag.group == group && line.given(flag.name); });
}

void check_groups(const CommandLine& line) {
  constexpr std::string_view kSources[] = {kHParams, kSlurm, kCluster, kHosts};
  if (std::ranges::count_if(kSources, [&](std::string_view group) { return has(line, group); }) > 1) {
    refuse_translation(
        "lockstep translate: hyperparameters, lists of Slurm's, TF_CONFIG and a hostfile are not translated at once; "
        "leave out all but one of them");
  }
}

// hparams and readers have one format.
void check_json(const CommandLine& line, const std::vector<std::string>& formats) {
  const std::array<std::string, 1> kJson = {"json"};
  if (line.choice("format", formats) != 0) line.choice("format", kJson);
  for (const char* flag : {"explain", "output"}) {
    if (line.given(flag)) line.refuse(flag, "it is for ranks; leave it out");
  }
}

}  // namespace

ExitCode translate(std::span<const std::string> args, const Environment& environment, const Print& print,
                   const Print& warn) {
  if (asks_for_help(args)) return print_help(print);
  const CommandLine line(kProgram, kFlags, args);
  if (line.on("help")) return print_help(print);
  check_groups(line);
  const std::vector<std::string> formats = rank_format_names();
  const bool is_json = line.choice("format", formats) == 0;
  if (has(line, kHParams)) {
    check_json(line, formats);
    return translate_hparams(line, environment, print);
  }
  if (line.given("reader")) {
    check_json(line, formats);
    return translate_tf_config(line, environment, print);
  }
  if (has(line, kSlurm) && is_json && !line.on("explain")) return translate_slurm_lists(line, environment, print);
  if (!has(line, kCluster) && !has(line, kHosts) && !has(line, kShown)) {
    refuse_translation(
        "lockstep translate needs --explain or --format=FORMAT, for the ranks of a job, --reader=READER, for a view of "
        "TF_CONFIG, a list of Slurm's, --hostlist=LIST or --tasks_per_node=LIST, or --hparams_base=JSON, the "
        "hyperparameters that --hparams changes; lockstep translate --help shows examples");
  }
  return translate_ranks(line, environment, print, warn);
}

}  // namespace lockstep
