#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep {

// The labels of the splits, none of a split that is not there.
struct SplitLabels {
  std::span<const std::int32_t> train;
  std::span<const std::int32_t> dev;
  std::span<const std::int32_t> test;
};

// What is odd about class labels, a line each: that none is 0, that classes have no sample at all, that dev or test
// samples are of a class that training never shows. Which classes there are is for the user to say: where their number
// was given (classes), empty ones are meant, but for a class 0 that alone has no sample: such labels were counted from
// 1. REQUIRES: labels from 0 on, some of them in training.
std::vector<std::string> label_remarks(const SplitLabels& labels, std::optional<std::int64_t> classes = {});

}  // namespace lockstep
