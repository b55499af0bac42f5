#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep {

// The labels of the splits; empty for a missing split.
struct SplitLabels {
  std::span<const std::int32_t> train;
  std::span<const std::int32_t> dev;
  std::span<const std::int32_t> test;
};

// Remarks on oddities of class labels, a line each: none is 0, classes have no sample at all, dev or test samples have
// a class that training never shows. If the user gave the number of classes (classes), empty ones are intended, except
// a class 0 that alone has no sample: such labels were counted from 1. REQUIRES: labels from 0 on, some of them in
// training.
std::vector<std::string> label_remarks(const SplitLabels& labels, std::optional<std::int64_t> classes = {});

}  // namespace lockstep
