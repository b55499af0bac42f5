#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "optim/optimizer.h"
#include "optim/update_plan.h"
#include "ps/server_state.h"
#include "ps/value_copies.h"
#include "tensor/backend.h"
#include "tensor/parameter_table.h"

namespace lockstep {

// The ServerState of servers that make the updates: the values, the optimizer's state, the sum of the gradients of the
// next update and, if there is one, the moving average of the values.
//
// There may be several copies of the values. A client reads the values of the moment at which its read began: an update
// leaves a copy that is being read as it is and is made in another one.
class RangeState final : public ServerState {
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
  std::vector<Tensor> tensors() override;
  void begin(std::int64_t optimizer_begun) override { rule_.optimizer_begun = optimizer_begun; }
  const Tensor& values() const { return copies_[readers_.current()]; }
  const Tensor& copy(std::size_t number) const { return copies_.at(number); }

  ValueCopies& readers() override { return readers_; }

  // If an update is of one gradient, the optimizer takes it from where it is.
  void add(const Tensor& gradient, double factor, double weight) override;
  void update(std::int64_t number, double factor) override;

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
