#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/batch_plan.h"

namespace lockstep {

// A checkpoint's attribute `taken`: the batches of tokens made so far in the current epoch, as a JSON list with an
// object for each BatchLeg:
//
//   [{"batch_tokens":4096,"max_length":256,"first_bound":8,"step":1.1,"shards":2,"batches":120}]
//
// Pure. docs/checkpoint_format.md has the keys.
std::string legs_to_json(std::span<const BatchLeg> legs);

// The inverse. Throws JsonError, also for numbers that no buckets can have.
std::vector<BatchLeg> legs_from_json(std::string_view text);

}  // namespace lockstep
