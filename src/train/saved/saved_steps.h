#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lockstep {

// The steps that a training run has saved, as its metrics.jsonl says, in its order. What is no such line is passed
// over. Pure.
std::vector<std::int64_t> saved_steps(std::string_view metrics);

}  // namespace lockstep
