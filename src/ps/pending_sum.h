#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ps/message.h"

namespace lockstep {

// The gradients added since the last update, as numbers: which batches they are of, and the factor of their update.
class PendingSum {
 public:
  explicit PendingSum(int size) : size_(size) {}

  void add(const PsMessage& gradient) {
    batches_.push_back(gradient.batch);
    weight_ += gradient.weight;
    first_factor_ = gradient.factor;
  }

  int count() const { return static_cast<int>(batches_.size()); }
  bool full() const { return count() == size_; }

  // The factor of the update. Servers apply a sum of one as the gradient itself, whose factor the client computed, with
  // the bits of one rank alone. A sum of more has each gradient as factor * weight * gradient, and is divided by the
  // sum of the weights; 0 if no gradient has any weight.
  double factor() const {
    if (size_ == 1) return first_factor_;
    return weight_ == 0 ? 0 : 1 / weight_;
  }

  // Empties the sum and returns its batches.
  std::vector<std::int64_t> take() {
    weight_ = 0;
    return std::exchange(batches_, {});
  }

 private:
  int size_;
  std::vector<std::int64_t> batches_;
  double weight_ = 0;
  double first_factor_ = 0;
};

}  // namespace lockstep
