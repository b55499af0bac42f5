#include "launch/tools/translate/translate_help.h"

#include <iterator>
#include <vector>

#include "launch/flags/exit_code_help.h"
#include "launch/flags/flags_from_settings.h"
#include "launch/tools/translate/sources/told_cluster.h"

namespace lockstep {
namespace {

constexpr Flag kFirst[] = {
    {kHParamTopic, "hparams_base", "JSON", "", "The set to start from, as one flat JSON object"},
    {kHParamTopic, "hparams", "LIST", "", "Changes to it, in tensor2tensor's grammar: name=value,name=[v,v]"},
    {kSlurmTopic, "hostlist", "LIST", "", "Hosts as Slurm writes them: SLURM_JOB_NODELIST, SLURM_STEP_NODELIST"},
    {kSlurmTopic, "tasks_per_node", "LIST", "",
     "How many tasks on each: SLURM_TASKS_PER_NODE, SLURM_STEP_TASKS_PER_NODE"},
    {kClusterTopic, "reader", "READER", "",
     "The program whose reading of TF_CONFIG is shown: lockstep = train's; estimator = tf.estimator's RunConfig; "
     "contrib = contrib.learn's, which tensor2tensor uses for a cluster without a chief; resolver = tf.distribute's"},
    {kClusterTopic, "tf_config", "JSON", "", "The value of TF_CONFIG, instead of the environment's"},
};

constexpr Flag kLast[] = {
    {kHostTopic, "hostfile", "FILE", "", "A file of hosts as mpirun takes it: HOST slots=N"},
    {kShownTopic, "format", "FORMAT", "json",
     "json; and for the ranks of a job: hostfile, rankfile, appfile = Open MPI's files; mpirun = the command line; "
     "sbatch, qsub = a job script; tf_config, torchrun = what to set for each rank, a line for each"},
    {kShownTopic, "explain", "", "", "A table of the ranks, for people"},
    {kShownTopic, "output", "FILE", "",
     "With --format=mpirun: write the hosts to FILE, and print one line that refers to it"},
    {kShownTopic, "help", "", "", "Show this text, and end"},
};

constexpr const char* kText =
    "lockstep cluster: turns the description of a job by TensorFlow, Slurm, Grid Engine or Open MPI into another\n"
    "of these, and shows what Lockstep makes of tensor2tensor's hyperparameters.\n"
    "\n"
    "  lockstep cluster --explain\n"
    "  lockstep cluster --format=mpirun --output=hosts\n"
    "  lockstep cluster --hostfile=hosts --format=sbatch >train.sbatch\n"
    "  mpirun -np 4 bash -c 'export $(lockstep cluster --format=torchrun) && exec python train.py'\n"
    "\n"
    "The ranks come from one of these: --hostfile; TF_CONFIG, Vertex AI's CLUSTER_SPEC, Gradient's variables\n"
    "(PS_CONFIG, WORKER_HOSTS, PS_HOSTS) or the flags that describe a cluster; --hostlist with --tasks_per_node.\n"
    "Two of them together are refused. If none is given, they are those of the job it runs in: Slurm's\n"
    "(SLURM_STEP_NODELIST, SLURM_JOB_NODELIST), Grid Engine's (PE_HOSTFILE), mpirun's (OMPI_COMM_WORLD_RANK\n"
    "and its like). Each process that mpirun or srun has started gets the lines of json, tf_config and\n"
    "torchrun for itself alone. A task of a cluster is one rank, unless --worker_gpu or --ps_gpu says how many:\n"
    "the GPUs of other hosts are not known here.\n"
    "The mpirun line passes the variables that describe the cluster on with -x: run it in a shell where they\n"
    "are set.\n"
    "\n"
    "  lockstep cluster --hparams_base='{\"hidden_size\": 512, \"dropout\": 0.1}' --hparams=dropout=0.2\n"
    "\n"
    "prints the base with the changes applied, as one line of JSON. A value's type is that of the base:\n"
    "2 is an integer, 2.0 a number.\n"
    "\n"
    "  lockstep cluster --hostlist='n[08-10],login'\n"
    "  lockstep cluster --tasks_per_node='2(x3),1'\n"
    "  lockstep cluster --hostlist='n[08-10],login' --tasks_per_node='2(x3),1'\n"
    "\n"
    "prints the list with each of its hosts or numbers, as one line of JSON; of both, the host of each rank\n"
    "and its number there, as srun places them unless --distribution says otherwise: host by host, in the\n"
    "order of the list.\n"
    "\n"
    "  lockstep cluster --reader=lockstep\n"
    "  lockstep cluster --reader=estimator\n"
    "  lockstep cluster --reader=resolver --tf_config='{\"cluster\": {\"worker\": [\"a:1\", \"b:1\"]}}'\n"
    "\n"
    "prints what train, or a program of TensorFlow's, finds in TF_CONFIG, as one line of JSON: its role, whether it "
    "is\n"
    "the chief, how many workers it counts, the address of its session, ... The readers of TF_CONFIG\n"
    "disagree, and so may their answers. null: this reader has no such value; {\"error\": ...}: reading the\n"
    "value raises this exception. Where the reader refuses TF_CONFIG as a whole, its message goes to the\n"
    "standard error, and the exit code is 78. TensorFlow's readers need python3.\n";

std::vector<Flag> all_flags() {
  std::vector<Flag> flags(std::begin(kFirst), std::end(kFirst));
  for (const char* name : kClusterFlags) {
    Flag flag = *find_flag(flags_from_settings(), name);
    flag.group = kClusterTopic;
    flags.push_back(flag);
  }
  flags.insert(flags.end(), std::begin(kLast), std::end(kLast));
  return flags;
}

}  // namespace

std::span<const Flag> translate_flags() {
  static const std::vector<Flag> kFlags = all_flags();
  return kFlags;
}

std::string translate_help() {
  return std::string(kText) + "\n" + flags_help(translate_flags()) + "\n" + exit_code_help();
}

}  // namespace lockstep
