#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "data/problem.h"

namespace lockstep {

// A problem by its parts.
class GivenProblem final : public Problem {
 public:
  struct Parts {
    ProblemShape shape{.input = {3}, .outputs = 2};
    std::int64_t train = 0;  // samples of each split
    std::int64_t dev = 0;
    std::int64_t test = 0;
    std::function<void(Split split, std::int64_t sample, const SampleSlot& slot)> read{};
  };
  explicit GivenProblem(Parts parts) : parts_(std::move(parts)) {}

  ProblemShape shape() const override { return parts_.shape; }
  std::int64_t count(Split split) const override {
    return split == Split::train ? parts_.train : split == Split::dev ? parts_.dev : parts_.test;
  }
  void read(Split split, std::int64_t sample, const SampleSlot& slot) const override {
    if (parts_.read) parts_.read(split, sample, slot);
  }

 private:
  Parts parts_;
};

}  // namespace lockstep
