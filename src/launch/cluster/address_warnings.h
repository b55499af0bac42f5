#pragma once

#include <string>
#include <vector>

#include "launch/cluster/cluster_spec.h"

namespace lockstep {

// Addresses of a cluster that every reader takes and that are mistakes as a rule: empty ones, those that occur
// twice or have a scheme in front ("grpc://"). Pure.
std::vector<std::string> address_warnings(const ClusterSpec& cluster);

}  // namespace lockstep
