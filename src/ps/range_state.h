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
// does not change a copy that is being read, but is made in another one. Copies in a 16-bit type hold the values
// rounded to nearest; the values themselves are then one array besides, of float32, as is all else.
class RangeState final : public ServerState {
 public:
  // The rule of an update. What it refers to outlives the RangeState.
  struct Rule {
    const ParameterTable& table;
    const Optimizer& optimizer;
    std::function<double(std::int64_t update)> learning_rate;  // of an update by its number, from 1
    std::int64_t gradients = 1;                                // the most gradients that are summed for an update
    double ema_decay = 0;  // that of the moving average (optim/moving_average.h); 0: there is none
  };

  // backend: a CPU's. copies: memory for the values, each of the range's length, of float32, bfloat16 or float16, that
  // stays where it is; copy 0 is the current one at first. Slots, sum and average begin with zeros. REQUIRES: unless
  // the optimizer is sliceable, the range cuts no variable.
  RangeState(Backend& backend, Rule rule, FlatRange range, std::vector<Tensor> copies);

  FlatRange range() const { return range_; }
  std::vector<Tensor> tensors() override;
  void begin(std::int64_t optimizer_begun, std::int64_t average_begun) override;
  const Tensor& values() const { return rounds() ? values_ : copies_[readers_.current()]; }
  const Tensor& copy(std::size_t number) const { return copies_.at(number); }

  ValueCopies& readers() override { return readers_; }

  // The gradient has the copies' type. If an update is of one gradient, the optimizer takes it from where it is.
  void add(const Tensor& gradient, double factor, double weight) override;
  void update(std::int64_t number, double factor) override;

 private:
  bool rounds() const { return copies_.front().dtype() != DType::float32; }
  void add_to_sum(const Tensor& gradient, float clip);
  void apply(std::int64_t number, double factor);
  FlatRange here(FlatRange absolute) const { return {absolute.begin - range_.begin, absolute.end - range_.begin}; }

  Backend& backend_;
  Rule rule_;
  FlatRange range_;
  std::int64_t optimizer_begun_ = 0;
  std::int64_t average_begun_ = 0;
  std::vector<UpdateSpan> spans_;
  std::vector<Tensor> copies_;
  ValueCopies readers_;
  std::vector<Buffer> memory_;
  std::vector<Tensor> slots_;
  Tensor values_;           // empty if the current copy is the values
  Tensor average_;          // empty: there is none
  Tensor sum_;              // empty if an update is of one gradient, in float32
  Tensor gradient_;         // what the next update applies: sum_, or the one gradient
  std::int64_t added_ = 0;  // number of gradients in it
};

}  // namespace lockstep
