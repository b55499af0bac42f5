#pragma once

#include <array>
#include <cstdint>

#include "tensor/backend.h"
#include "tensor/batch.h"

namespace lockstep {

// A batch in memory of a device, copied from one in host memory; the memory is kept from batch to batch and only grows.
// What a batch has on the host (sequences, positions of the source) is looked at there, and outlives it. One thread.
class DeviceBatch {
 public:
  explicit DeviceBatch(Backend& backend) : backend_(backend) {}

  // The batch where the backend computes: itself, or a copy, which the operations after it find. The host's memory may
  // be used again when the host has waited for the backend.
  const Batch& take(const Batch& host);

  // In two parts. Has the stream copy the batch, which is there when the copy is done.
  void start(const Batch& host, CopyStream& stream);
  const Batch& batch() const { return batch_; }

 private:
  static constexpr std::size_t kParts = 6;
  using Parts = std::array<Tensor, kParts>;

  static Parts parts_of(const Batch& batch);
  // Makes the batch's tensors, in memory of the device.
  void place(const Batch& host);

  Backend& backend_;
  Buffer memory_;
  Batch batch_;
};

}  // namespace lockstep
