#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "launch/readers/python_job.h"

namespace lockstep {

// What TensorFlow's tf.train.ClusterSpec makes of the member "cluster" of TF_CONFIG, with its checks and its oddities.
// A plain value; any thread. (What Lockstep makes of it is launch/cluster/cluster_spec.h.)
class PythonClusterSpec {
 public:
  // Throws PythonError, TypeError or ValueError: no object of jobs, a job that is neither a list nor an object, an
  // index that is none, an address that is no text.
  explicit PythonClusterSpec(const Json& cluster);

  bool empty() const { return jobs_.empty(); }  // bool() of it is the opposite
  std::vector<std::string> jobs() const;        // their names, in the order of the text
  bool contains(std::string_view job) const { return find(job) != nullptr; }
  std::int64_t num_tasks(std::string_view job) const;  // 0 of a job that there is not

  // Of job_tasks(job): launch/readers/python_job.h. Both throw PythonError, also of a job that there is not.
  std::int64_t list_length(std::string_view job) const { return at(job).list_length(); }
  const std::string* listed(std::string_view job, std::int64_t index) const { return at(job).listed(index); }

  // task_address(job, index): job is a text or null, index an integer (python_int()) or null. Throws PythonError,
  // ValueError.
  const std::string& task_address(const Json& job, const Json& index) const;

  Json as_dict() const;                                  // throws PythonError as list_length() does
  std::int64_t dict_length(std::string_view job) const;  // len(as_dict().get(job, [])); throws alike
  std::string repr() const;                              // ClusterSpec({'chief': ['a:1']}), sorted by name

 private:
  const PythonJob* find(std::string_view job) const;
  const PythonJob& at(std::string_view job) const;  // throws PythonError
  std::vector<const PythonJob*> sorted() const;     // by name

  std::vector<PythonJob> jobs_;
};

}  // namespace lockstep
