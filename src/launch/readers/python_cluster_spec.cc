#include "launch/readers/python_cluster_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "launch/readers/python_error.h"
#include "launch/readers/python_value.h"

namespace lockstep {

PythonClusterSpec::PythonClusterSpec(const Json& cluster) {
  const auto* const jobs = cluster.as<Json::Object>();
  if (jobs == nullptr) {
    throw PythonError("TypeError",
                      "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or "
                      "a `ClusterDef` protocol buffer");
  }
  for (const auto& [name, tasks] : *jobs) jobs_.emplace_back(name, tasks);
  for (const PythonJob* job : sorted()) job->check();
}

std::vector<std::string> PythonClusterSpec::jobs() const {
  std::vector<std::string> names;
  names.reserve(jobs_.size());
  for (const PythonJob& job : jobs_) names.push_back(job.name());
  return names;
}

std::int64_t PythonClusterSpec::num_tasks(std::string_view job) const {
  const PythonJob* const found = find(job);
  return found == nullptr ? 0 : found->num_tasks();
}

const PythonJob* PythonClusterSpec::find(std::string_view job) const {
  const auto found = std::ranges::find(jobs_, job, &PythonJob::name);
  return found == jobs_.end() ? nullptr : &*found;
}

const PythonJob& PythonClusterSpec::at(std::string_view job) const {
  const PythonJob* const found = find(job);
  if (found == nullptr) raise_value_error(fmt::format("No such job in cluster: {}", python_quoted(job)));
  return *found;
}

std::vector<const PythonJob*> PythonClusterSpec::sorted() const {
  std::vector<const PythonJob*> jobs;
  jobs.reserve(jobs_.size());
  for (const PythonJob& job : jobs_) jobs.push_back(&job);
  std::ranges::sort(jobs, {}, &PythonJob::name);
  return jobs;
}

const std::string& PythonClusterSpec::task_address(const Json& job, const Json& index) const {
  const auto* const name = job.as<std::string>();
  if (name == nullptr) raise_value_error("No such job in cluster: None");
  const PythonJob& found = at(*name);
  const auto* const number = index.as<std::int64_t>();
  if (const std::string* const address = number == nullptr ? nullptr : found.address(*number)) return *address;
  raise_value_error(fmt::format("No task with index {} in job {}", python_repr(index), python_quoted(*name)));
}

Json PythonClusterSpec::as_dict() const {
  Json::Object dict;
  for (const PythonJob& job : jobs_) dict.emplace_back(job.name(), job.json());
  return dict;
}

std::int64_t PythonClusterSpec::dict_length(std::string_view job) const {
  as_dict();
  return num_tasks(job);
}

std::string PythonClusterSpec::repr() const {
  std::string text;
  for (const PythonJob* job : sorted()) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", python_quoted(job->name()), job->repr());
  }
  return "ClusterSpec({" + text + "})";
}

}  // namespace lockstep
