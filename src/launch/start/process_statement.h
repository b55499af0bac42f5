#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/cluster/cluster_spec.h"
#include "launch/flags/merge_flags.h"

namespace lockstep {

// The statement of a process of `train` to the others before their world is formed (ProcessFacts::statement).
struct ProcessStatement {
  GivenFlags given;
  std::optional<TaskName> task{};       // its task in its cluster, as it was told
  std::string told_by{};                // the source of its cluster: "TF_CONFIG"
  bool has_windows = false;             // it starts MPI for windows with parameter servers
  std::vector<std::string> warnings{};  // about how its cluster is described
  std::string refusal{};                // why its cluster cannot be used, which ends the job; "" = it can
  bool operator==(const ProcessStatement&) const = default;
};

// The statement as one text, and back.
std::string to_text(const ProcessStatement& statement);
ProcessStatement process_statement(std::string_view text);

}  // namespace lockstep
