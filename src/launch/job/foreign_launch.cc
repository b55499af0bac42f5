#include "launch/job/foreign_launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/printable.h"

namespace lockstep {
namespace {

// A launcher and the names of its variables.
struct Variables {
  const char* launcher;
  const char* rank;
  const char* size;
};

// Scripts that start PyTorch's processes by other means than torchrun set only these two.
constexpr Variables kOfRanks[] = {{"torchrun or a script like it", "RANK", "WORLD_SIZE"},
                                  {"horovodrun or a script like it", "HOROVOD_RANK", "HOROVOD_SIZE"}};

// hosts: "--host a,b ", or "" if they are not known. variables: to be unset.
std::string describe_launch(const std::string& what, int size, const std::string& hosts, const std::string& variables) {
  return fmt::format(
      "{}, but the ranks of this program find each other through MPI, and each would train alone; start with: mpirun "
      "-np {} {}build/train ...{}; or, if these variables are left over from something else: unset {}",
      what, size, hosts, hosts.empty() ? " (for several hosts: --host a:4,b:4)" : "", variables);
}

std::optional<ForeignLaunch> launch_by(const Variables& names, const Environment& environment) {
  const auto size = count_in(environment, names.size);
  const auto rank = count_in(environment, names.rank);
  if (!size || *size <= 1 || !rank) return {};
  return ForeignLaunch{.rank = *rank,
                       .size = *size,
                       .refusal = describe_launch(fmt::format("{} started {} processes ({}={}, {})", names.launcher,
                                                              *size, names.size, *size, names.rank),
                                                  *size, "", fmt::format("{} {}", names.size, names.rank))};
}

// The texts of a list in JSON; none if it is anything else.
std::vector<std::string> texts_in(const std::string& text) {
  std::vector<std::string> texts;
  try {
    const Json json = parse_json(text);
    const auto* const list = json.as<Json::Array>();
    if (list == nullptr) return {};
    for (const Json& each : *list) {
      const auto* const one = each.as<std::string>();
      if (one == nullptr) return {};
      texts.push_back(*one);
    }
  } catch (const JsonError&) {
    return {};
  }
  return texts;
}

// SageMaker starts a container on each of several hosts, which it numbers by their order. If asked for MPI, it starts
// mpirun.
std::optional<ForeignLaunch> launch_by_sagemaker(const Environment& environment) {
  const std::vector<std::string> hosts = texts_in(environment("SM_HOSTS").value_or(""));
  const std::string own = environment("SM_CURRENT_HOST").value_or("");
  const auto place = std::ranges::find(hosts, own);
  if (hosts.size() < 2 || place == hosts.end()) return {};
  const auto size = static_cast<int>(hosts.size());
  return ForeignLaunch{
      .rank = static_cast<int>(place - hosts.begin()),
      .size = size,
      .refusal = describe_launch(
          fmt::format("SageMaker started {} processes (SM_HOSTS, SM_CURRENT_HOST={})", size, escaped(own)), size,
          fmt::format("--host {} ", escaped(fmt::format("{}", fmt::join(hosts, ",")))), "SM_HOSTS SM_CURRENT_HOST")};
}

}  // namespace

std::optional<ForeignLaunch> foreign_launch(const Environment& environment) {
  for (const Variables& names : kOfRanks) {
    if (auto launch = launch_by(names, environment)) return launch;
  }
  return launch_by_sagemaker(environment);
}

}  // namespace lockstep
