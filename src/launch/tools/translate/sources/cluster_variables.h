#pragma once

#include <vector>

#include "base/environment.h"
#include "launch/cluster/tf_config.h"
#include "launch/flags/command_line.h"
#include "launch/tools/translate/rank_list.h"

namespace lockstep {

// The environment variables that describe to every process of a job, in the same words, the cluster that told_cluster()
// has read: those that are set here. TF_CONFIG is set anew for a cluster given by --tf_config, and if the variables set
// here make this process an evaluator of a job that trains, because they would make all processes evaluators; the other
// variables are then emptied, unless they are Gradient's beside --tf_config. TF_CONFIG's task is that of the first
// rank. list: the cluster's. Pure.
std::vector<ClusterVariable> cluster_variables(const CommandLine& line, const Environment& environment,
                                               const TfConfig& config, const RankList& list);

}  // namespace lockstep
