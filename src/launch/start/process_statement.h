#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/flags/merge_flags.h"

namespace lockstep {

// The task of a TensorFlow cluster that a process says it is.
struct StatedTask {
  std::string job;
  std::int64_t index = 0;
  bool operator==(const StatedTask&) const = default;
};

// What a process of `train` says to the others before their world is formed (ProcessFacts::statement).
struct ProcessStatement {
  GivenFlags given;
  std::optional<StatedTask> task{};
  std::vector<std::string> warnings{};  // about how its cluster is described
  std::string refusal{};                // why that cannot be used, which ends the job; "" = it can
  bool operator==(const ProcessStatement&) const = default;
};

// As one text, and back.
std::string to_text(const ProcessStatement& statement);
ProcessStatement process_statement(std::string_view text);

}  // namespace lockstep
