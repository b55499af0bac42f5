#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/tools/translate/rank_list.h"

// The formats of a list of ranks. Each is a text with a line break at its end. Pure.
//
// Those from hostfile_text() to qsub_script() start a job, and throw as launched_processes() does.
namespace lockstep {

// The program that files for launchers name.
inline constexpr const char* kTrainProgram = "build/train";

// A table of the ranks `shown` for people, and remarks on the list.
std::string explain_ranks(const RankList& list, std::span<const RankEntry> shown);
// One line of JSON: source, world_size, the ranks and evaluators `shown`, warnings.
std::string ranks_json(const RankList& list, std::span<const RankEntry> shown);

// Open MPI's hostfile: one host per line with its slots or, if neighbouring ranks alternate between hosts, one rank per
// line, which keeps its order under --map-by seq.
std::string hostfile_text(const RankList& list);
// True for a text that hostfile_text() may have made; an empty one may.
bool is_hostfile_text(std::string_view text);
// Open MPI's rankfile: each rank on a core of its own.
std::string rankfile_text(const RankList& list);
// Open MPI's app file, for mpirun --app. Throws Error(configuration) for an IPv6 address, too.
std::string app_file_text(const RankList& list);
// The line for mpirun, with the hosts in the file `hostfile`.
std::string mpirun_line(const RankList& list, std::string_view hostfile);
// The commands that write the hosts to a file, and after them the line for mpirun.
std::string mpirun_commands(const RankList& list);
// A job script of as many nodes and tasks, with the conventions of scripts/slurm; Slurm decides which nodes they are.
std::string sbatch_script(const RankList& list);
// A job script of as many ranks for Grid Engine, which runs train.sge of scripts/sge.
std::string qsub_script(const RankList& list);

// The value of TF_CONFIG for one process. Throws Error(configuration) if the list has no cluster.
std::string tf_config_line(const RankList& list, const RankEntry& entry);
// The variables by which torchrun tells a process its place: "RANK=0 WORLD_SIZE=2 ...". Throws Error(configuration) if
// the host of rank 0 is not known.
std::string torchrun_line(const RankList& list, const RankEntry& entry);

// A word as a shell reads it back.
std::string shell_word(std::string_view word);
// train and its flags, as words for a shell.
std::string train_command(const RankList& list);
// mpirun's flags that pass the cluster's variables on to all hosts: " -x TF_CONFIG".
std::string passed_variables(const RankList& list);
// The variables that are not set where the job is started, as assignments for a shell: "TF_CONFIG='{...}'".
std::vector<std::string> variable_assignments(const RankList& list);
// The source of the ranks, for the comment of a script.
std::string script_source(const RankList& list);
// Returns whether the processes of each host follow each other: then a host and a number describe them.
bool is_host_by_host(std::span<const RankEntry> processes);

}  // namespace lockstep
