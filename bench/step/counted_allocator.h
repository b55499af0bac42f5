#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "tensor/allocator.h"

namespace lockstep::bench {

// Allocator that takes memory from another one, which outlives it, and records the most held at once. Its buffers may
// outlive it. One thread.
class CountedAllocator final : public Allocator {
 public:
  explicit CountedAllocator(Allocator& from) : from_(from) {}

  Device device() const override { return from_.device(); }
  bool is_common() const override { return from_.is_common(); }

  Buffer allocate(std::size_t bytes) override {
    auto memory = std::make_shared<Buffer>(from_.allocate(bytes));
    const auto count = static_cast<std::int64_t>(bytes);
    counts_->held += count;
    counts_->most = std::max(counts_->most, counts_->held);
    void* const data = memory->data();
    return {data, bytes, device(), [counts = counts_, memory, count](void*) { counts->held -= count; }};
  }

  std::int64_t most() const { return counts_->most; }  // bytes

 private:
  struct Counts {
    std::int64_t held = 0;
    std::int64_t most = 0;
  };

  Allocator& from_;
  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace lockstep::bench
