#include "collective/mpi_environment.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/slurm_lists.h"

namespace lockstep {
namespace {

// A folder with an entry for each device: verbs (InfiniBand, RoCE, Omni-Path, EFA) and Slingshot.
constexpr const char* kFastNetworkDevices[] = {"/sys/class/infiniband", "/sys/class/cxi"};

// By any of these a user has said how messages travel.
constexpr const char* kTransportChoices[] = {"OMPI_MCA_pml", "OMPI_MCA_btl",    "OMPI_MCA_mtl", "OMPI_MCA_osc",
                                             "UCX_TLS",      "UCX_NET_DEVICES", "FI_PROVIDER"};

}  // namespace

std::optional<int> ranks_on_this_host(const Environment& environment) {
  constexpr const char* kOfMpirun = "OMPI_COMM_WORLD_LOCAL_SIZE";
  if (environment(kOfMpirun)) return count_in(environment, kOfMpirun);
  const auto tasks_per_node = environment("SLURM_STEP_TASKS_PER_NODE");
  const auto node = count_in(environment, "SLURM_NODEID");
  if (!tasks_per_node || !node) return std::nullopt;
  return tasks_on_node(*tasks_per_node, *node);
}

bool sees_fast_network(const std::string& root) {
  return std::ranges::any_of(kFastNetworkDevices, [&root](const char* devices) {
    std::error_code ignored;  // what cannot be read has no devices
    const std::filesystem::directory_iterator first(root + devices, ignored);
    return first != std::filesystem::directory_iterator();
  });
}

std::vector<Setting> mpi_settings(const Environment& environment, const HostFacts& host) {
  const auto is_set = [&environment](const char* name) { return environment(name).has_value(); };
  std::vector<Setting> settings;
  if (!host.fast_network && std::ranges::none_of(kTransportChoices, is_set)) {
    settings = {{"OMPI_MCA_pml", "ob1"}, {"OMPI_MCA_btl", "tcp,vader,self"}};
  }
  if (!is_set("OMPI_MCA_mpi_yield_when_idle") && ranks_on_this_host(environment).value_or(1) > host.cores) {
    settings.push_back({"OMPI_MCA_mpi_yield_when_idle", "1"});
  }
  return settings;
}

std::string describe(std::span<const Setting> settings) {
  constexpr std::string_view kPrefix = "OMPI_MCA_";
  std::string text;
  for (const Setting& setting : settings) {
    const std::string name = setting.name.starts_with(kPrefix) ? setting.name.substr(kPrefix.size()) : setting.name;
    text += (text.empty() ? "" : " ") + name + "=" + setting.value;
  }
  return text;
}

}  // namespace lockstep
