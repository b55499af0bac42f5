#pragma once

#include <optional>
#include <string>

#include "launch/cluster/cluster_descriptions.h"

// The flags by which TensorFlow's first distributed programs were told of their cluster: two lists of addresses and
// this process's place in them. Gradient says the same in variables. Pure.
namespace lockstep {

// A flag or variable by the name that messages give it; "" if it was not given.
struct ClassicValue {
  std::string name;
  std::string value{};
};

struct ClassicCluster {
  ClassicValue ps_hosts{.name = "--ps_hosts"};          // "h0:2222,h1:2222"
  ClassicValue worker_hosts{.name = "--worker_hosts"};  // there is no chief: it is worker 0
  // "worker", "ps"; "evaluator" needs no address. That of the list where there is only one.
  ClassicValue job_name{.name = "--job_name"};
  ClassicValue task_index{.name = "--task_index"};  // 0 if there is a job
};

// Nothing if none of them was given. Blanks around an address are left out. Whether the task is one of the cluster's is
// left to agreed_description(), since another description may name the hosts. Throws Error of every rank for JSON, for
// what can be no address, for a job there is none of, for an index without a job, and for an index that is not a whole
// number: usage of a flag, configuration of a variable.
std::optional<ClusterDescription> read_classic_cluster(const ClassicCluster& classic);

}  // namespace lockstep
