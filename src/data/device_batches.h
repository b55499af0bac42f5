#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "data/batch_source.h"
#include "data/device_batch.h"

namespace lockstep {

// The batches of a source in device memory. The next batch, once it is read, is copied while the device works on the
// one before; the host waits only for a batch that is not read yet. Source and Backend outlive it.
class DeviceBatches final : public BatchSource {
 public:
  // The most batches of the source that it holds at a time.
  static constexpr int kHeld = 3;

  // REQUIRES: batches in memory of Backend::host_allocator().
  DeviceBatches(BatchSource& host, Backend& backend);

  const Batch& next() override;
  void release() override;
  bool is_ready() override { return copied_ > given_ || host_.is_ready(); }

 private:
  struct Copy {
    DeviceBatch batch;
    Event used{};  // passes when the step that used it is done
  };

  Copy& copy(std::int64_t n) { return copies_[static_cast<std::size_t>(n % 2)]; }
  Event& arrival(std::int64_t n) { return arrivals_[static_cast<std::size_t>(n % kHeld)]; }
  void copy_next();
  void release_copied();

  BatchSource& host_;
  Backend& backend_;
  std::unique_ptr<CopyStream> stream_;
  std::array<Copy, 2> copies_;
  std::array<Event, kHeld> arrivals_{};  // one per batch not yet released to the source
  std::int64_t copied_ = 0;              // batches whose copy has begun
  std::int64_t given_ = 0;               // those of them given to the caller
  std::int64_t released_ = 0;            // those of them released to the source
  bool held_ = false;                    // the caller holds a batch
};

}  // namespace lockstep
