#pragma once

#include <optional>
#include <string>

#include "launch/cluster/cluster_descriptions.h"

// The flags that described the cluster to TensorFlow's first distributed programs: two lists of addresses and this
// process's place in them. Gradient gives the same in variables. Pure.
namespace lockstep {

// A flag or variable, by its name in messages; the value is "" if it was not given.
struct ClassicValue {
  std::string name;
  std::string value{};
};

struct ClassicCluster {
  ClassicValue ps_hosts{.name = "--ps_hosts"};          // addresses: "h0:2222,h1:2222"
  ClassicValue worker_hosts{.name = "--worker_hosts"};  // addresses; worker 0 is the chief
  // This process's job: "worker", "ps"; "evaluator" needs no address. Default, with a task_index: that of the only
  // list.
  ClassicValue job_name{.name = "--job_name"};
  ClassicValue task_index{.name = "--task_index"};  // default: 0, if there is a job
};

// Returns nothing if no value was given. Blanks around an address are removed. agreed_description() checks that the
// task is one of the cluster's, since another description may name the hosts. Throws Error of every rank for JSON, for
// text that cannot be an address, for an unknown job, for an index without a job, and for an index that is not a whole
// number: usage for a flag, configuration for a variable.
std::optional<ClusterDescription> read_classic_cluster(const ClassicCluster& classic);

}  // namespace lockstep
