#pragma once

#include <algorithm>
#include <atomic>
#include <string>

#include "base/error.h"
#include "data/problem.h"

namespace lockstep {

// A problem whose samples contain their own numbers, easy to recognise in a batch: input (2, 3) all `sample`, label
// sample % 5 or target (sample, -sample). Sample `bad` cannot be read.
class NumbersProblem final : public Problem {
 public:
  explicit NumbersProblem(ProblemShape::Target target, std::int64_t bad = -1) : target_(target), bad_(bad) {}

  ProblemShape shape() const override {
    const bool labels = target_ == ProblemShape::Target::class_label;
    return {.input = {2, 3}, .target = target_, .outputs = labels ? 5 : 2};
  }
  std::int64_t count(Split split) const override { return split == Split::dev ? 0 : 1000000; }
  void read(Split /*split*/, std::int64_t sample, const SampleSlot& slot) const override {
    ++reads_;
    if (sample == bad_) throw Error(ExitCode::bad_data, "sample " + std::to_string(sample) + " is bad");
    std::ranges::fill(slot.input, static_cast<float>(sample));
    if (slot.label != nullptr) *slot.label = static_cast<std::int32_t>(sample % 5);
    for (std::size_t i = 0; i < slot.target.size(); ++i) {
      slot.target[i] = i == 0 ? static_cast<float>(sample) : -static_cast<float>(sample);
    }
  }

  std::int64_t reads() const { return reads_; }

 private:
  ProblemShape::Target target_;
  std::int64_t bad_;
  mutable std::atomic<std::int64_t> reads_{0};
};

}  // namespace lockstep
