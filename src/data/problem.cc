#include "data/problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace lockstep {

const char* name(Split split) {
  switch (split) {
    case Split::train:
      return "train";
    case Split::dev:
      return "dev";
    case Split::test:
      return "test";
  }
  return "unknown";
}

std::string splits_there(const std::vector<std::string>& names) {
  return fmt::format("there {} {}: --eval_split={} asks for {}", names.size() == 1 ? "is" : "are",
                     fmt::join(names, " and "), names.front(), names.size() == 1 ? "it" : "one of them");
}

void leave_target_empty(const SampleSlot& slot) {
  if (slot.label != nullptr) *slot.label = 0;
  std::ranges::fill(slot.target, 0.0F);
}

}  // namespace lockstep
