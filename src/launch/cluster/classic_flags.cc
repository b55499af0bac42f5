#include "launch/cluster/classic_flags.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/whole_number.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse(const ClassicValue& value, const std::string& why) {
  throw Error(ExitCode::configuration, fmt::format("{}={}: {}", value.name, escaped(value.value), why));
}

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

void add_job(const char* job, const ClassicValue& hosts, ClusterSpec& cluster) {
  if (hosts.value.empty()) return;
  ClusterJob added{.name = job, .tasks = {}};
  std::string_view rest = hosts.value;
  for (std::int64_t index = 0;; ++index) {
    const auto comma = rest.find(',');
    const std::string_view address = without_blanks(rest.substr(0, comma));
    if (address.empty()) {
      refuse(hosts, fmt::format("address {} of the list is empty; expected host:port,host:port,...", index));
    }
    added.tasks.emplace_hint(added.tasks.end(), index, address);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  cluster.jobs.push_back(std::move(added));
}

std::optional<TaskName> read_task(const ClassicCluster& classic) {
  if (classic.job_name.value.empty()) {
    if (classic.task_index.value.empty()) return {};
    refuse(classic.task_index, fmt::format("says nothing without {}; give both", classic.job_name.name));
  }
  TaskName task{.job = classic.job_name.value, .index = 0};
  if (!classic.task_index.value.empty()) {
    const auto index = parse_digits<std::int64_t>(classic.task_index.value);
    if (!index) refuse(classic.task_index, "expected the task's number within its job, from 0 up");
    task.index = *index;
  }
  return task;
}

}  // namespace

std::optional<ClusterDescription> read_classic_cluster(const ClassicCluster& classic) {
  ClusterDescription description;
  for (const ClassicValue* value : {&classic.ps_hosts, &classic.worker_hosts, &classic.job_name, &classic.task_index}) {
    if (!value->value.empty()) description.source += (description.source.empty() ? "" : ", ") + value->name;
  }
  if (description.source.empty()) return {};
  add_job("worker", classic.worker_hosts, description.config.cluster);
  add_job("ps", classic.ps_hosts, description.config.cluster);
  description.config.task = read_task(classic);
  return description;
}

}  // namespace lockstep
