#include "launch/cluster/classic_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "base/whole_number.h"
#include "launch/cluster/address_warnings.h"

namespace lockstep {
namespace {

constexpr std::string_view kListed = "expected host:port,host:port,...";
constexpr std::int64_t kLargestPort = 65535;

[[noreturn]] void refuse(const ClassicValue& value, const std::string& why) {
  const bool is_flag = value.name.starts_with("--");
  throw Error(is_flag ? ExitCode::usage : ExitCode::configuration,
              fmt::format("{}={}: {}", value.name, escaped(value.value), why), Scope::every_rank);
}

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The reason why this cannot be the address of a host; "" if it can. A port is not required, since nothing listens
// there.
std::string why_no_address(std::string_view address) {
  constexpr std::string_view kNever = " \t\r\n\"'`{}();";
  if (address.empty()) return "is empty";
  if (const auto at = address.find_first_of(kNever); at != std::string_view::npos) {
    return fmt::format("has {} in it", in_quotes(address.substr(at, 1)));
  }
  const std::size_t scheme = address.find("://");
  std::string_view rest = scheme == std::string_view::npos ? address : address.substr(scheme + 3);
  if (rest.starts_with('[')) {  // IPv6
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return "has a '[' without its ']'";
    rest.remove_prefix(end + 1);
    if (!rest.empty() && rest.front() != ':') return "has more than a port behind its ']'";
  } else if (std::ranges::count(rest, ':') > 1) {  // IPv6 without brackets, and so without a port
    return "";
  }
  if (rest.find_first_of("[]") != std::string_view::npos)
    return "has a bracket, which belongs around an IPv6 host only";
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return "";
  const auto port = parse_digits<std::int64_t>(rest.substr(colon + 1));
  return port && *port <= kLargestPort ? "" : fmt::format("has no port up to {} behind its colon", kLargestPort);
}

void add_job(const char* job, const ClassicValue& hosts, ClusterSpec& cluster) {
  if (hosts.value.empty()) return;
  const std::string_view value = without_blanks(hosts.value);
  if (value.starts_with('{') || (value.starts_with('[') && value.find('"') != std::string_view::npos)) {
    refuse(hosts,
           fmt::format("this is JSON; {}, without brackets and quotes (a cluster as JSON is for TF_CONFIG)", kListed));
  }
  ClusterJob added{.name = job, .tasks = {}};
  std::string_view rest = hosts.value;
  for (std::int64_t index = 0;; ++index) {
    const auto comma = rest.find(',');
    const std::string_view address = without_blanks(rest.substr(0, comma));
    if (const std::string why = why_no_address(address); !why.empty()) {
      const std::string shown = address.empty() ? "" : fmt::format(", {},", in_quotes(address));
      refuse(hosts, fmt::format("address {} of the list{} {}; {}", index, shown, why, kListed));
    }
    added.tasks.emplace_hint(added.tasks.end(), index, address);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  cluster.jobs.push_back(std::move(added));
}

// The job of the list, if exactly one list is given; else "".
std::string only_job(const ClassicCluster& classic) {
  const bool has_workers = !classic.worker_hosts.value.empty();
  if (has_workers == !classic.ps_hosts.value.empty()) return {};
  return has_workers ? "worker" : "ps";
}

std::optional<TaskName> read_task(const ClassicCluster& classic) {
  if (classic.job_name.value.empty() && classic.task_index.value.empty()) return {};
  const std::vector<std::string> jobs(kJobNames.begin(), kJobNames.end());
  TaskName task{.job = classic.job_name.value.empty() ? only_job(classic) : classic.job_name.value, .index = 0};
  if (task.job.empty()) {
    refuse(classic.task_index, fmt::format("says nothing without {}; give both", classic.job_name.name));
  }
  if (std::ranges::find(jobs, task.job) == jobs.end()) refuse(classic.job_name, expected_one_of(jobs, task.job));
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
  for (const std::string& warning : address_warnings(description.config.cluster)) {
    description.config.warnings.push_back(fmt::format("{}: {}", description.source, warning));
  }
  return description;
}

}  // namespace lockstep
