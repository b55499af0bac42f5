#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/json_place.h"

namespace lockstep {

// One task of a cluster, as TensorFlow names it: job "worker", index 3.
struct TaskName {
  std::string job;
  std::int64_t index = 0;
  auto operator<=>(const TaskName&) const = default;
};

// The jobs that have a role here.
inline constexpr std::array<std::string_view, 5> kJobNames = {"chief", "master", "worker", "ps", "evaluator"};

// The name of a task in messages and start lines: "worker 3".
std::string describe(const TaskName& task);

// A job of a cluster: its tasks' addresses ("host:port") by index. Indices may have gaps: a sparse map names only the
// tasks that the process needs to know.
struct ClusterJob {
  std::string name;
  std::map<std::int64_t, std::string> tasks;

  bool is_dense() const;  // true if its indices are 0 to n-1
  bool operator==(const ClusterJob&) const = default;
};

// The member "cluster" of TF_CONFIG: {"chief": ["h0:2222"], "worker": {"0": "h1:2222", "2": "h3:2222"}}. Jobs keep the
// order of the text; a job may be there without tasks. A plain value; any thread.
struct ClusterSpec {
  std::vector<ClusterJob> jobs;

  const ClusterJob* find(std::string_view job) const;      // null if there is none
  const std::string* address(const TaskName& task) const;  // null if there is none
  std::size_t tasks_of(std::string_view job) const;        // 0 if there is no such job
  std::size_t tasks() const;                               // number of tasks of all jobs

  bool operator==(const ClusterSpec&) const = default;
};

// Accepts what TensorFlow's ClusterSpec accepts, except indices below 0 and two names of one index ("1" and "01").
// Throws JsonError, which begins with the path: "cluster.worker[2]: expected ...".
ClusterSpec read_cluster_spec(const JsonPlace& cluster);

// A list for a job whose indices are 0 to n-1, else a map.
Json to_json(const ClusterSpec& cluster);

}  // namespace lockstep
