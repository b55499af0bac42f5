#include "data/problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "tensor/batch.h"

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

void check_counts(const Problem& problem) {
  if (!problem.shape().has_sequences()) return;
  for (const Split split : kAllSplits) {
    if (problem.count(split) <= kMostSequences) continue;
    throw Error(ExitCode::bad_data,
                fmt::format("the {} split has {} sequences, and a split has at most {}: leave some out; of a text a "
                            "larger hparam max_length makes fewer",
                            name(split), problem.count(split), kMostSequences));
  }
}

}  // namespace lockstep
