#include "base/slurm_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "base/printable.h"
#include "base/whole_number.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxHostNameBytes = 255;  // limit of the Domain Name System

// Reads a list from front to back, and knows its place in it for messages.
class SlurmListReader {
 public:
  // kind: the list's name in messages.
  SlurmListReader(std::string_view kind, std::string_view text) : kind_(kind), text_(text), rest_(text) {}

  bool at_end() const { return rest_.empty(); }

  bool take(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }

  std::string_view take_name() { return take_first(std::min(rest_.find_first_of(",[]"), rest_.size())); }

  std::string_view take_digits_of(std::string_view what) {
    const std::string_view digits = take_first(std::min(rest_.find_first_not_of("0123456789"), rest_.size()));
    if (digits.empty()) refuse(what);
    return digits;
  }

  // Parses digits that were just taken.
  template <class T>
  T number_in(std::string_view digits) const {
    const std::optional<T> number = parse_digits<T>(digits);
    if (!number) refuse("a smaller number before this");
    return *number;
  }

  // expected: what should stand at the current place.
  [[noreturn]] void refuse(std::string_view expected) const {
    const std::string place = at_end() ? "the end" : fmt::format("character {}", text_.size() - rest_.size() + 1);
    throw Error(ExitCode::usage,
                fmt::format("Invalid {} format \"{}\": at {}: expected {}", kind_, escaped(text_), place, expected),
                Scope::every_rank);
  }

  void check_room(std::size_t nodes, std::size_t more) const {
    if (more <= kMaxSlurmNodes && nodes + more <= kMaxSlurmNodes) return;
    throw Error(ExitCode::usage,
                fmt::format("Invalid {} format \"{}\": it stands for more than {} nodes, the most that are expanded; "
                            "is there a number too large in it?",
                            kind_, escaped(text_), kMaxSlurmNodes),
                Scope::every_rank);
  }

 private:
  std::string_view take_first(std::size_t bytes) {
    const std::string_view first = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return first;
  }

  std::string_view kind_;
  std::string_view text_;
  std::string_view rest_;
};

void append_host(std::vector<std::string>& hosts, const SlurmListReader& reader, std::string host) {
  reader.check_room(hosts.size(), 1);
  if (host.size() > kMaxHostNameBytes) {
    reader.refuse(fmt::format("a host name of at most {} bytes before this", kMaxHostNameBytes));
  }
  hosts.push_back(std::move(host));
}

void append_range(std::vector<std::string>& hosts, SlurmListReader& reader, std::string_view name) {
  constexpr std::string_view kWhat = "the number of a host";
  const std::string_view digits = reader.take_digits_of(kWhat);
  if (!reader.take("-")) return append_host(hosts, reader, fmt::format("{}{}", name, digits));
  const auto first = reader.number_in<std::int64_t>(digits);
  const auto last = reader.number_in<std::int64_t>(reader.take_digits_of(kWhat));
  if (last < first) return;
  const auto nodes = static_cast<std::size_t>(last - first) + 1;
  reader.check_room(hosts.size(), nodes);
  for (std::size_t node = 0; node < nodes; ++node) {  // the number after the last one need not fit
    append_host(hosts, reader,
                fmt::format("{}{:0{}}", name, first + static_cast<std::int64_t>(node),
                            std::min(digits.size(), kMaxHostNameBytes + 1)));
  }
}

struct TaskRun {
  int tasks = 0;
  std::size_t nodes = 1;  // consecutive nodes with as many tasks
};

std::vector<TaskRun> read_task_runs(std::string_view text) {
  SlurmListReader reader("tasks-per-node list", text);
  std::vector<TaskRun> runs;
  std::size_t nodes = 0;
  do {
    TaskRun run{.tasks = reader.number_in<int>(reader.take_digits_of("a number of tasks"))};
    if (reader.take("(x")) {
      run.nodes = reader.number_in<std::size_t>(reader.take_digits_of("the number of nodes that have as many"));
      if (!reader.take(")")) reader.refuse("')'");
    }
    reader.check_room(nodes, run.nodes);
    nodes += run.nodes;
    runs.push_back(run);
  } while (reader.take(","));
  if (!reader.at_end()) reader.refuse("'(x', ',' or the end");
  return runs;
}

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view hostlist) {
  SlurmListReader reader("hostlist", hostlist);
  std::vector<std::string> hosts;
  while (!reader.at_end()) {
    const std::string_view name = reader.take_name();
    if (reader.take("[")) {
      do append_range(hosts, reader, name);
      while (reader.take(","));
      if (!reader.take("]")) reader.refuse("'-', ',' or ']'");
      if (!reader.at_end() && !reader.take(",")) {
        reader.refuse("',' or the end: brackets stand at the end of a name (scontrol show hostnames expands others)");
      }
    } else {
      if (name.empty()) reader.refuse("the name of a host");
      append_host(hosts, reader, std::string(name));
      if (!reader.at_end() && !reader.take(",")) reader.refuse("'[', ',' or the end");
    }
  }
  return hosts;
}

std::vector<int> expand_tasks_per_node(std::string_view tasks_per_node) {
  std::vector<int> tasks;
  for (const TaskRun& run : read_task_runs(tasks_per_node)) tasks.insert(tasks.end(), run.nodes, run.tasks);
  return tasks;
}

std::optional<int> tasks_on_node(std::string_view tasks_per_node, int node) {
  if (node < 0) return std::nullopt;
  auto left = static_cast<std::size_t>(node);
  try {
    for (const TaskRun& run : read_task_runs(tasks_per_node)) {
      if (left < run.nodes) return run.tasks;
      left -= run.nodes;
    }
  } catch (const Error&) {  // malformed: nothing is known of this node
  }
  return std::nullopt;
}

}  // namespace lockstep
