#pragma once

#include <string>
#include <string_view>

// Cures for messages about a cluster, by what describes it: variables ("TF_CONFIG") and flags ("--worker_hosts"), with
// ", " between them. Pure.
namespace lockstep {

// The cure for a job without the cluster: "unset TF_CONFIG and leave out --job_name".
std::string how_to_do_without(std::string_view sources);

// The cure for a process that lacks the sources: "let mpirun pass it on to other hosts by -x TF_CONFIG and give it
// --job_name".
std::string how_to_pass_on(std::string_view sources);

}  // namespace lockstep
