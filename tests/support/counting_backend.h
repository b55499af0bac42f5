#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tensor/cpu/cpu_backend.h"

namespace lockstep {

// An allocator that counts its allocations, and the memory that was not freed. Outlives the memory that it allocates.
class CountingAllocator final : public Allocator {
 public:
  Device device() const override { return {}; }
  Buffer allocate(std::size_t bytes) override {
    auto memory = std::make_shared<Buffer>(host_.allocate(bytes));
    in_use_ += static_cast<std::int64_t>(bytes);
    ++allocations_;
    void* const data = memory->data();
    return {data, bytes, device(), [this, memory, bytes](void*) { in_use_ -= static_cast<std::int64_t>(bytes); }};
  }

  std::int64_t in_use() const { return in_use_; }            // bytes
  std::int64_t allocations() const { return allocations_; }  // number of allocations so far

 private:
  HostAllocator host_;
  std::int64_t in_use_ = 0;
  std::int64_t allocations_ = 0;
};

// The CPU's backend with counts of its memory and products. Outlives the memory that it allocates.
class CountingBackend final : public CpuBackend {
 public:
  Allocator& allocator() override { return allocator_; }
  void product(const Tensor& a, Transpose a_op, const Tensor& b, Transpose b_op, const Tensor& c, Write write,
               const Tensor& bias) override {
    ++products_;
    CpuBackend::product(a, a_op, b, b_op, c, write, bias);
  }

  std::int64_t in_use() const { return allocator_.in_use(); }
  std::int64_t allocations() const { return allocator_.allocations(); }
  std::int64_t products() const { return products_; }  // number of products so far

 private:
  CountingAllocator allocator_;
  std::int64_t products_ = 0;
};

}  // namespace lockstep
