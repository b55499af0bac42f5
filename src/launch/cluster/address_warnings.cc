#include "launch/cluster/address_warnings.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/printable.h"

namespace lockstep {

std::vector<std::string> address_warnings(const ClusterSpec& cluster) {
  std::vector<std::string> warnings;
  std::unordered_map<std::string_view, std::pair<const ClusterJob*, std::int64_t>> seen;
  seen.reserve(cluster.tasks());
  std::size_t empty = 0;
  std::size_t repeated = 0;
  std::size_t with_scheme = 0;
  std::string example;
  std::string scheme_example;
  for (const ClusterJob& job : cluster.jobs) {
    for (const auto& [index, address] : job.tasks) {
      if (address.find("://") != std::string::npos && with_scheme++ == 0) scheme_example = in_quotes(address);
      if (address.empty()) {
        ++empty;
      } else if (const auto [first, is_new] = seen.emplace(address, std::pair(&job, index));
                 !is_new && repeated++ == 0) {
        const auto& [first_job, first_index] = first->second;
        example = fmt::format("{} and {} are both at {}", describe(TaskName{first_job->name, first_index}),
                              describe(TaskName{job.name, index}), in_quotes(address));
      }
    }
  }
  if (repeated > 0) {
    warnings.push_back(fmt::format("cluster: {}{}; they count as separate tasks", example,
                                   repeated > 1 ? fmt::format(", and {} more are", repeated - 1) : ""));
  }
  if (with_scheme > 0) {
    warnings.push_back(
        fmt::format("cluster: {} has a scheme{}; TensorFlow takes host:port only, and here the host counts",
                    scheme_example, with_scheme > 1 ? fmt::format(", and {} more have", with_scheme - 1) : ""));
  }
  if (empty > 0) warnings.push_back(fmt::format("cluster: {} of the addresses are empty", empty));
  return warnings;
}

}  // namespace lockstep
