#pragma once

#include <string>
#include <vector>

#include "launch/cluster/cluster_spec.h"

namespace lockstep {

// Warnings of addresses that every reader accepts but that are usually mistakes: empty ones, those that occur twice or
// have a scheme in front ("grpc://"). Pure.
std::vector<std::string> address_warnings(const ClusterSpec& cluster);

}  // namespace lockstep
