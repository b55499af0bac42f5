#pragma once

#include <vector>

#include "base/environment.h"
#include "launch/cluster/tf_config.h"
#include "launch/flags/command_line.h"
#include "launch/tools/translate/rank_list.h"

namespace lockstep {

// The variables by which every process of a job is told of the cluster that told_cluster() read, all of them the same:
// those that are set here. TF_CONFIG has to be set for a cluster of --tf_config; and where what is set here makes this
// process an evaluator beside others that train, since all processes would be evaluators: then the others are emptied.
// Its task is that of the first rank. list: of the cluster. Pure.
std::vector<ClusterVariable> cluster_variables(const CommandLine& line, const Environment& environment,
                                               const TfConfig& config, const RankList& list);

}  // namespace lockstep
