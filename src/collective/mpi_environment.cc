#include "collective/mpi_environment.h"

#include <charconv>
#include <cstdlib>

namespace lockstep {
namespace {

// Reads a number off the front of text; nothing if there is none.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<int> number(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  const std::optional<int> value = take_number(rest);
  return rest.empty() ? value : std::nullopt;
}

}  // namespace

Environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

std::optional<int> tasks_on_node(std::string_view tasks_per_node, int node) {
  while (node >= 0) {
    const std::optional<int> tasks = take_number(tasks_per_node);
    std::optional<int> nodes = 1;
    if (take(tasks_per_node, "(x")) {
      nodes = take_number(tasks_per_node);
      if (!take(tasks_per_node, ")")) return std::nullopt;
    }
    if (!tasks || !nodes) return std::nullopt;
    if (node < *nodes) return tasks;
    node -= *nodes;
    if (!take(tasks_per_node, ",")) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<int> ranks_on_this_host(const Environment& environment) {
  if (const auto ranks = environment("OMPI_COMM_WORLD_LOCAL_SIZE")) return number(ranks);
  const auto tasks_per_node = environment("SLURM_STEP_TASKS_PER_NODE");
  const auto node = number(environment("SLURM_NODEID"));
  if (!tasks_per_node || !node) return std::nullopt;
  return tasks_on_node(*tasks_per_node, *node);
}

std::vector<Setting> mpi_settings(const Environment& environment, int cores) {
  const auto is_set = [&environment](const char* name) { return environment(name).has_value(); };
  std::vector<Setting> settings;
  if (!is_set("OMPI_MCA_pml") && !is_set("OMPI_MCA_btl") && !is_set("OMPI_MCA_osc")) {
    settings = {{"OMPI_MCA_pml", "ob1"}, {"OMPI_MCA_btl", "tcp,vader,self"}, {"OMPI_MCA_osc", "sm,pt2pt"}};
  }
  if (!is_set("OMPI_MCA_mpi_yield_when_idle") && ranks_on_this_host(environment).value_or(1) > cores) {
    settings.push_back({"OMPI_MCA_mpi_yield_when_idle", "1"});
  }
  return settings;
}

}  // namespace lockstep
