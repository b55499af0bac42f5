#pragma once

#include <cstdint>
#include <vector>

#include "model/model.h"
#include "tensor/backend.h"

namespace lockstep {

// The losses of a rank's shares, read a step later, so that the host does not wait for the device in a step. Backend
// and Model outlive it. One thread.
class LateLosses {
 public:
  // shares: number of this rank's shares in a step.
  LateLosses(Backend& backend, const Model& model, int shares);

  // sums: result of Model::start_forward() for a share of the step.
  void add(std::int64_t step, const Tensor& sums);
  // Takes the oldest loss that was not taken, if it is of a step before this one; returns 0 if there is none.
  double take_before(std::int64_t step);
  // Takes all losses that were not taken, and returns their sum.
  double take_all();

 private:
  struct Share {
    std::int64_t step = 0;
    Event copied{};
  };

  std::size_t place(std::int64_t n) const { return static_cast<std::size_t>(n) % shares_.size(); }
  double take();

  Backend& backend_;
  const Model& model_;
  std::vector<Share> shares_;  // shares of two steps, used in turn
  Buffer memory_;              // sums of each share
  std::int64_t added_ = 0;
  std::int64_t taken_ = 0;
};

}  // namespace lockstep
