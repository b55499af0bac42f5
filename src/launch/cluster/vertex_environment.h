#pragma once

#include <optional>

#include "base/environment.h"
#include "launch/cluster/cluster_descriptions.h"

namespace lockstep {

// Vertex AI's description of the cluster for a container: CLUSTER_SPEC, a TF_CONFIG whose jobs are the worker pools.
// Pool 0 is the chief, 1 the workers, 2 the parameter servers, 3 the evaluator. Nothing if it is not set; if TF_CONFIG
// is, which says the same there; or if it has no worker pools: other programs use the name as well. Pure. Throws Error
// of this rank, configuration, as read_tf_config() does.
std::optional<ClusterDescription> read_vertex_environment(const Environment& environment);

}  // namespace lockstep
