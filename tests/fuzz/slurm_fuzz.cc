// Fuzzes Slurm's two lists, selected by the first byte: '0' for a hostlist, '1' for tasks per node.
#include "base/slurm_lists.h"

#include <vector>

#include "fuzzing.h"

using namespace lockstep;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

// Expanded hosts are lists of just themselves: without ranges and commas.
void hostlist(const std::string& text) {
  std::vector<std::string> hosts;
  if (!accepted({ExitCode::usage}, [&] { hosts = expand_hostlist(text); })) return;
  must(hosts.size() <= kMaxSlurmNodes);
  std::string joined;
  for (const std::string& host : hosts) {
    must(!host.empty());
    joined += host + ",";
  }
  must(expand_hostlist(joined) == hosts);
}

void tasks_per_node(const std::string& text) {
  std::vector<int> tasks;
  if (!accepted({ExitCode::usage}, [&] { tasks = expand_tasks_per_node(text); })) {
    must(!tasks_on_node(text, 0).has_value());
    return;
  }
  must(tasks.size() <= kMaxSlurmNodes);
  const int nodes = static_cast<int>(tasks.size());
  for (const int node : {0, nodes / 2, nodes - 1}) {
    if (node < 0 || node >= nodes) continue;
    must(tasks[static_cast<std::size_t>(node)] >= 0);
    must(tasks_on_node(text, node) == tasks[static_cast<std::size_t>(node)]);
  }
  must(!tasks_on_node(text, nodes).has_value());
  must(!tasks_on_node(text, -1).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const bool of_tasks = input.byte() % 2 != 0;
  const std::string text = input.text(size);
  of_tasks ? tasks_per_node(text) : hostlist(text);
  return 0;
}
