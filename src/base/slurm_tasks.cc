#include "base/slurm_tasks.h"

#include "base/whole_number.h"

namespace lockstep {
namespace {

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::optional<int> tasks_on_node(std::string_view tasks_per_node, int node) {
  while (node >= 0) {
    const std::optional<int> tasks = take_digits<int>(tasks_per_node);
    std::optional<int> nodes = 1;
    if (take(tasks_per_node, "(x")) {
      nodes = take_digits<int>(tasks_per_node);
      if (!take(tasks_per_node, ")")) return std::nullopt;
    }
    if (!tasks || !nodes) return std::nullopt;
    if (node < *nodes) return tasks;
    node -= *nodes;
    if (!take(tasks_per_node, ",")) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace lockstep
