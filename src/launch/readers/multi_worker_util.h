#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "launch/readers/python_cluster_spec.h"

// tf.distribute's rules for the tasks of a cluster: the functions of its multi_worker_util, in the newer text. type is
// a text or null, id an integer (python_int()) or null. All throw PythonError.
namespace lockstep {

bool is_chief(const PythonClusterSpec& cluster, const Json& type, const Json& id);
std::string collective_leader(const PythonClusterSpec& cluster, const Json& type, const Json& id);
std::int64_t worker_count(const PythonClusterSpec& cluster, const Json& type);
Json id_in_cluster(const PythonClusterSpec& cluster, const Json& type, const Json& id);

}  // namespace lockstep
