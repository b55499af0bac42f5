#pragma once

#include <optional>

#include "base/json.h"
#include "launch/cluster/cluster_plan.h"

namespace lockstep {

// Lockstep's own reading of a cluster, in the fields of TensorFlow's readers, with the rank and the size of the world.
// config: nothing if there is no TF_CONFIG. A task has as many ranks as the flags say, else one, and its rank is that
// of its first one; evaluators have a world of their own. There are no sessions and no device filters: these are null.
// Pure. Throws Error as plan_cluster() does.
Json::Object read_as_lockstep(const std::optional<TfConfig>& config, const ClusterFlags& flags);

}  // namespace lockstep
