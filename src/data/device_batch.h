#pragma once

#include <array>
#include <cstdint>

#include "tensor/backend.h"
#include "tensor/batch.h"

namespace lockstep {

// A copy of a host batch in device memory; the memory is reused from batch to batch and only grows. The parts of a
// batch that stay on the host (sequences, positions of the source) are not copied and must outlive this. One thread.
class DeviceBatch {
 public:
  explicit DeviceBatch(Backend& backend) : backend_(backend) {}

  // Returns the batch in memory of the backend: on a CPU `host` itself, else a copy, which later operations see. The
  // host memory may be reused when the host has waited for the backend.
  const Batch& take(const Batch& host);

  // The same in two steps: start() has the stream copy the batch, and batch() is valid when the copy is done.
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
