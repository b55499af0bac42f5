#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "optim/optimizer.h"
#include "optim/update_plan.h"
#include "ps/value_copies.h"
#include "tensor/backend.h"
#include "tensor/parameter_table.h"

namespace lockstep {

// A server's state of its range of the store: the values, the optimizer's state, the sum of the gradients of the
// next update and, if there is one, the moving average of the values. It is on the host.
//
// There may be several copies of the values. A client reads the values of the moment at which its read began: an update
// does not change a copy that is being read, but is made in another one.
class RangeState {
 public:
  // The rule of an update. What it refers to outlives the RangeState.
  struct Rule {
    const ParameterTable& table;
    const Optimizer& optimizer;
    std::function<double(std::int64_t update)> learning_rate;  // of an update by its number, from 1
    std::int64_t gradients = 1;                                // the most gradients that are summed for an update
    std::int64_t optimizer_begun = 0;  // number of the last update before the optimizer's state began with zeros
    double ema_decay = 0;              // that of the moving average (train/state/averaged_weights.h); 0: there is none
    std::int64_t average_begun = 0;    // number of the last update before the average began
  };

  // backend: a CPU's. copies: memory for the values, each of the range's length, that stays where it is; the values are
  // copies[0] at first. Slots, sum and average begin with zeros. REQUIRES: unless the optimizer is sliceable, the range
  // cuts no variable.
  RangeState(Backend& backend, Rule rule, FlatRange range, std::vector<Tensor> copies);

  FlatRange range() const { return range_; }
  // Sets Rule::optimizer_begun.
  void begin_optimizer(std::int64_t number) { rule_.optimizer_begun = number; }
  // The state of now, for whoever fills or saves it: the values, then each slot, then the average if there is one.
  std::vector<Tensor> tensors() const;
  const Tensor& values() const { return copies_[readers_.current()]; }
  const Tensor& copy(std::size_t number) const { return copies_.at(number); }

  // The readers of each copy.
  ValueCopies& readers() { return readers_; }

  // Adds a gradient, which is a sum over samples of this weight; `factor` makes it the mean, clipped. If an update is
  // of one gradient, the optimizer takes it from where it is, so it stays there until update().
  void add(const Tensor& gradient, double factor, double weight);
  // Applies the sum as update `number`. factor: what makes it the mean of the clipped gradients; of one gradient, if an
  // update is of one, its own factor; 0 changes nothing but the average. REQUIRES: readers().may_update(), and a
  // gradient was added.
  void update(std::int64_t number, double factor);

 private:
  void add_to_sum(const Tensor& gradient, float clip);
  void apply(std::int64_t number, double factor);
  FlatRange here(FlatRange absolute) const { return {absolute.begin - range_.begin, absolute.end - range_.begin}; }

  Backend& backend_;
  Rule rule_;
  FlatRange range_;
  std::vector<UpdateSpan> spans_;
  std::vector<Tensor> copies_;
  ValueCopies readers_;
  std::vector<Buffer> memory_;
  std::vector<Tensor> slots_;
  Tensor average_;          // empty: there is none
  Tensor sum_;              // empty if an update is of one gradient
  Tensor gradient_;         // what the next update applies: sum_, or the one gradient
  std::int64_t added_ = 0;  // number of gradients in it
};

}  // namespace lockstep
