#include "collective/mpi/mpi_environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/slurm_lists.h"

namespace lockstep {
namespace {

// Folders with an entry for each device: verbs (InfiniBand, RoCE, Omni-Path, EFA) and Slingshot.
constexpr const char* kFastNetworkDevices[] = {"/sys/class/infiniband", "/sys/class/cxi"};

constexpr std::string_view kParameterPrefix = "OMPI_MCA_";

constexpr std::string_view kOneSided = "osc";  // the parameter of windows
constexpr std::string_view kSingleCopy = "btl_vader_single_copy_mechanism";

// The parameters that say how messages travel.
constexpr const char* kTransportParameters[] = {"pml", "btl", "mtl", "osc"};

// Variables by which a user has chosen the transport for the libraries below.
constexpr const char* kLibraryChoices[] = {"UCX_TLS", "UCX_NET_DEVICES", "FI_PROVIDER"};

// Variables that name files of this one job (mpirun --am, --tune), which may choose anything.
constexpr const char* kJobFiles[] = {"OMPI_MCA_mca_base_param_file_prefix", "OMPI_MCA_mca_base_envar_file_prefix"};

Setting parameter(std::string_view name, std::string value) {
  return {std::string(kParameterPrefix).append(name), std::move(value)};
}

std::string_view name_of_parameter(const Setting& setting) {
  std::string_view name = setting.name;
  if (name.starts_with(kParameterPrefix)) name.remove_prefix(kParameterPrefix.size());
  return name;
}

// Returns whether the lists "a,b,c" have a component in common.
bool share_a_component(std::string_view list, std::string_view other) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string component = fmt::format(",{},", list.substr(0, end));
    if (end > 0 && fmt::format(",{},", other).find(component) != std::string::npos) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

// Returns whether the value of a parameter only excludes components, none of `ours` ("": none) among them.
bool leaves_room(std::string_view value, std::string_view ours) {
  return value.starts_with('^') && !share_a_component(value.substr(1), ours);
}

bool files_allow(const McaParameters& files, std::string_view name, std::string_view ours) {
  const auto found = files.find(name);
  return found == files.end() || leaves_room(found->second, ours);
}

bool is_set(const Environment& environment, const char* name) { return environment(name).has_value(); }

bool is_any_set(const Environment& environment, std::span<const char* const> names) {
  return std::ranges::any_of(names, [&environment](const char* name) { return is_set(environment, name); });
}

bool is_transport_chosen(const Environment& environment, const McaParameters& files,
                         std::span<const Setting> transport) {
  if (is_any_set(environment, kLibraryChoices) || is_any_set(environment, kJobFiles)) return true;
  return std::ranges::any_of(kTransportParameters, [&](std::string_view name) {
    const auto ours = std::ranges::find(transport, name, name_of_parameter);
    std::string components = ours == transport.end() ? "" : ours->value;
    if (name == "btl") components += ",vader";  // still sm's other name in Open MPI 5
    return is_set(environment, parameter(name, "").name.c_str()) || !files_allow(files, name, components);
  });
}

bool is_chosen(const Environment& environment, const McaParameters& files, std::string_view name) {
  return is_set(environment, parameter(name, "").name.c_str()) || files.contains(name);
}

// Adds the interfaces that lead nowhere to those that Open MPI excludes by itself.
void add_excluded_interfaces(const Environment& environment, const MpiFacts& facts, std::vector<Setting>& settings) {
  const std::string_view lists[] = {"btl_tcp_if_exclude", "btl_tcp_if_include"};
  const auto chosen = [&](std::string_view name) { return is_chosen(environment, facts.parameters, name); };
  if (facts.dead_ends.empty() || is_any_set(environment, kJobFiles) || std::ranges::any_of(lists, chosen)) return;
  settings.push_back(parameter(lists[0], fmt::format("127.0.0.1/8,sppp,{}", fmt::join(facts.dead_ends, ","))));
}

// Adds the settings for windows to those of the transport, unless a choice stands against them.
void add_window_settings(const Environment& environment, const MpiFacts& facts, std::vector<Setting>& settings) {
  const bool has_pt2pt = facts.open_mpi.value_or(0) < 5;
  const bool one_host = facts.windows == Windows::one_host;
  const Setting osc = parameter(kOneSided, one_host ? "sm" : has_pt2pt ? "sm,pt2pt" : "sm,rdma");
  if (is_any_set(environment, kJobFiles) || is_set(environment, osc.name.c_str())) return;
  if (!files_allow(facts.parameters, kOneSided, "")) return;
  if (one_host) {
    settings.push_back(osc);
    return;
  }

  const Setting pml = parameter("pml", "ob1");
  const auto users = environment(pml.name.c_str());
  const auto in_files = facts.parameters.find("pml");
  std::string chosen = in_files == facts.parameters.end() ? "^" : in_files->second;
  if (users) chosen = *users;
  if (chosen != pml.value && !leaves_room(chosen, pml.value)) return;
  const bool is_left_open = !users && chosen != pml.value && std::ranges::find(settings, pml) == settings.end();
  if (has_pt2pt && is_left_open) settings.push_back(pml);
  settings.push_back(osc);
}

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
    std::error_code ignored;  // a folder that cannot be read has no devices
    const std::filesystem::directory_iterator first(root + devices, ignored);
    return first != std::filesystem::directory_iterator();
  });
}

std::vector<Setting> mpi_settings(const Environment& environment, const MpiFacts& facts) {
  if (!facts.open_mpi) return {};
  const char* shared_memory = *facts.open_mpi >= 5 ? "sm" : "vader";
  std::vector<Setting> settings = {parameter("pml", "ob1"),
                                   parameter("btl", fmt::format("tcp,{},self", shared_memory))};
  if ((facts.fast_network && !facts.outlives_ranks) || is_transport_chosen(environment, facts.parameters, settings))
    settings.clear();
  if (facts.outlives_ranks && *facts.open_mpi == 4 && !settings.empty()) {
    const Setting single_copy = parameter(kSingleCopy, "none");
    if (!is_chosen(environment, facts.parameters, kSingleCopy)) settings.push_back(single_copy);
  }
  if (facts.windows != Windows::none) add_window_settings(environment, facts, settings);
  add_excluded_interfaces(environment, facts, settings);
  constexpr std::string_view kYield = "mpi_yield_when_idle";
  const bool crowded = ranks_on_this_host(environment).value_or(1) > facts.cores;
  if (crowded && !is_chosen(environment, facts.parameters, kYield)) settings.push_back(parameter(kYield, "1"));
  return settings;
}

bool choose_one_sided(std::span<const Setting> settings) {
  return std::ranges::find(settings, kOneSided, name_of_parameter) != settings.end();
}

bool outlive_ranks(std::span<const Setting> settings) {
  return std::ranges::find(settings, kSingleCopy, name_of_parameter) != settings.end();
}

std::string describe(std::span<const Setting> settings) {
  std::string text;
  for (const Setting& setting : settings) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name_of_parameter(setting), setting.value);
  }
  return text;
}

}  // namespace lockstep
