#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "tensor/allocator.h"

namespace lockstep::bench {

// Memory of another allocator, which outlives it, counted: how much of it was held at once, at most. One thread.
class CountedAllocator final : public Allocator {
 public:
  explicit CountedAllocator(Allocator& from) : from_(from) {}

  Device device() const override { return from_.device(); }
  bool is_common() const override { return from_.is_common(); }

  Buffer allocate(std::size_t bytes) override {
    auto memory = std::make_shared<Buffer>(from_.allocate(bytes));
    const auto count = static_cast<std::int64_t>(bytes);
    held_ += count;
    most_ = std::max(most_, held_);
    void* const data = memory->data();
    return {data, bytes, device(), [this, memory, count](void*) { held_ -= count; }};
  }

  std::int64_t most() const { return most_; }  // bytes

 private:
  Allocator& from_;
  std::int64_t held_ = 0;
  std::int64_t most_ = 0;
};

}  // namespace lockstep::bench
