#include "launch/cluster/cluster_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/printable.h"
#include "base/python_number.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMaxTaskIndex = std::numeric_limits<std::int32_t>::max();  // TensorFlow's own limit

const std::string& read_address(const JsonPlace& place) {
  const auto* const text = place.json().as<std::string>();
  if (text == nullptr)
    place.refuse(fmt::format("expected an address, \"host:port\", found {}", shortened(place.json())));
  return *text;
}

// A member of a sparse map: {"2": "h3:2222"}. Readers in Python take the name through int().
std::int64_t read_index(const std::string& name, const JsonPlace& place) {
  const PythonInteger index = parse_python_integer(name);
  if (index.status != PythonInteger::Status::valid || index.value < 0 || index.value > kMaxTaskIndex) {
    place.refuse(
        fmt::format("{} is no index of a task; expected a whole number from 0 to {}", in_quotes(name), kMaxTaskIndex));
  }
  return index.value;
}

ClusterJob read_job(const std::string& name, const JsonPlace& place) {
  ClusterJob job{.name = name, .tasks = {}};
  if (place.json().as<Json::Array>() != nullptr) {
    std::int64_t index = 0;
    for (const JsonPlace& address : place.elements()) {
      job.tasks.emplace_hint(job.tasks.end(), index++, read_address(address));
    }
  } else if (place.json().as<Json::Object>() != nullptr) {
    for (const auto& [key, address] : place.members()) {
      const std::int64_t index = read_index(key, address);
      if (!job.tasks.emplace(index, read_address(address)).second) {
        address.refuse(fmt::format("task {} of the job stands there twice; keep one", index));
      }
    }
  } else {
    place.refuse(
        fmt::format("expected the addresses of the job's tasks, [\"host:port\", ...] or {{\"0\": \"host:port\"}}, "
                    "found {}",
                    shortened(place.json())));
  }
  return job;
}

}  // namespace

std::string describe(const TaskName& task) { return fmt::format("{} {}", escaped(task.job), task.index); }

bool ClusterJob::is_dense() const {
  return tasks.empty() || tasks.rbegin()->first == static_cast<std::int64_t>(tasks.size()) - 1;
}

const ClusterJob* ClusterSpec::find(std::string_view job) const {
  const auto found = std::ranges::find(jobs, job, &ClusterJob::name);
  return found == jobs.end() ? nullptr : &*found;
}

const std::string* ClusterSpec::address(const TaskName& task) const {
  const ClusterJob* const job = find(task.job);
  if (job == nullptr) return nullptr;
  const auto found = job->tasks.find(task.index);
  return found == job->tasks.end() ? nullptr : &found->second;
}

std::size_t ClusterSpec::tasks_of(std::string_view job) const {
  const ClusterJob* const found = find(job);
  return found == nullptr ? 0 : found->tasks.size();
}

std::size_t ClusterSpec::tasks() const {
  std::size_t count = 0;
  for (const ClusterJob& job : jobs) count += job.tasks.size();
  return count;
}

ClusterSpec read_cluster_spec(const JsonPlace& cluster) {
  if (cluster.json().as<Json::Object>() == nullptr) {
    cluster.refuse(fmt::format(R"(expected the cluster's jobs, {{"chief": ["host:port"], "worker": [...]}}, found {})",
                               shortened(cluster.json())));
  }
  ClusterSpec spec;
  for (const auto& [name, tasks] : cluster.members()) spec.jobs.push_back(read_job(name, tasks));
  return spec;
}

Json to_json(const ClusterSpec& cluster) {
  Json::Object jobs;
  for (const ClusterJob& job : cluster.jobs) {
    Json::Array listed;
    Json::Object sparse;
    for (const auto& [index, address] : job.tasks) {
      if (job.is_dense()) {
        listed.emplace_back(address);
      } else {
        sparse.emplace_back(std::to_string(index), address);
      }
    }
    jobs.emplace_back(job.name, job.is_dense() ? Json(std::move(listed)) : Json(std::move(sparse)));
  }
  return jobs;
}

}  // namespace lockstep
