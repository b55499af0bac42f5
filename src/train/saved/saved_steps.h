#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lockstep {

// The steps that a training run has saved according to its metrics.jsonl, in its order. Other lines are skipped. Pure.
std::vector<std::int64_t> saved_steps(std::string_view metrics);

}  // namespace lockstep
