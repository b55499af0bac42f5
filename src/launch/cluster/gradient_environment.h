#pragma once

#include <string>
#include <vector>

#include "base/environment.h"
#include "launch/cluster/cluster_descriptions.h"

namespace lockstep {

// The cluster and the folder that Gradient (Paperspace) gives a process of a multi-node experiment.
struct GradientEnvironment {
  std::vector<ClusterDescription> clusters;
  std::string model_path;  // PS_MODEL_PATH: folder of a run without --output_dir; "" if not given
};

// PS_CONFIG is a TF_CONFIG in URL-safe base64; PS_HOSTS, WORKER_HOSTS, TYPE and INDEX are the classic flags. TYPE and
// INDEX, names that others use as well, are read only if one of the other three is set, or if they name a task and
// beside_tf_config: TF_CONFIG, which Gradient sets too, is set. Empty variables count as not set. Pure. Throws
// Error(configuration): of this rank for PS_CONFIG, of every rank for the others.
GradientEnvironment read_gradient_environment(const Environment& environment, bool beside_tf_config = false);

}  // namespace lockstep
