#pragma once

#include <cstdint>
#include <vector>

#include "ps/value_copies.h"
#include "tensor/tensor.h"

namespace lockstep {

// The state that a server has of its range of the store, as the commands of the stream see it. It is on the host. One
// thread.
class ServerState {
 public:
  virtual ~ServerState() = default;

  // The state of now, for whoever fills or saves it: the values, then each slot of the optimizer, then the moving
  // average if there is one. The memory is the state's.
  virtual std::vector<Tensor> tensors() = 0;
  // Begins with what tensors() were filled with. optimizer_begun, average_begun: number of the last update before the
  // optimizer's state began with zeros, and before the average began with the values.
  virtual void begin(std::int64_t optimizer_begun, std::int64_t average_begun) = 0;

  // The readers of each copy of the values.
  virtual ValueCopies& readers() = 0;

  // Adds a gradient of the type in which gradients travel, which is a sum over samples of this weight; `factor` makes
  // it the mean, clipped. It stays where it is until update().
  virtual void add(const Tensor& gradient, double factor, double weight) = 0;
  // Applies the sum as update `number`. factor: what makes it the mean of the clipped gradients; of one gradient, if an
  // update is of one, its own factor; 0 changes nothing but the average. REQUIRES: readers().may_update(), and a
  // gradient was added.
  virtual void update(std::int64_t number, double factor) = 0;
};

}  // namespace lockstep
