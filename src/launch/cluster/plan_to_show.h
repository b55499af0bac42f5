#pragma once

#include "launch/cluster/cluster_plan.h"

namespace lockstep {

// plan_cluster() for a program that starts nothing: a cluster that asks for a strategy that there is not is planned as
// if there were one, and plan_cluster()'s refusal is a warning of the plan. Pure. Throws Error as plan_cluster() does
// for any other reason.
ClusterPlan plan_to_show(const TfConfig& config, const ClusterFlags& flags);

}  // namespace lockstep
