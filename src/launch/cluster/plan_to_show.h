#pragma once

#include "launch/cluster/cluster_plan.h"

namespace lockstep {

// plan_cluster() for a program that starts nothing: a cluster that requires a missing strategy is planned as if it
// existed, and plan_cluster()'s refusal is a warning of the plan. Pure. Throws Error as plan_cluster() does for any
// other reason.
ClusterPlan plan_to_show(const TfConfig& config, const ClusterFlags& flags);

}  // namespace lockstep
