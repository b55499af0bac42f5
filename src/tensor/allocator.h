#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "base/error.h"
#include "tensor/device.h"

namespace lockstep {

// There is less memory than was asked for.
class OutOfMemory final : public Error {
 public:
  explicit OutOfMemory(const std::string& why) : Error(ExitCode::internal, why) {}
};

// Owner of one piece of memory. Move-only; freeing is local and never communicates.
class Buffer {
 public:
  Buffer() = default;
  Buffer(void* data, std::size_t bytes, Device device, std::function<void(void*)> free)
      : data_(data), bytes_(bytes), device_(device), free_(std::move(free)) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr && free_) free_(data_);
  }

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  Device device() const { return device_; }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(device_, other.device_);
    std::swap(free_, other.free_);
  }

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  Device device_;
  std::function<void(void*)> free_;
};

// Gives memory of one kind: a host's, a device's, or a communicator's, which an all-reduce works on in place
// (Communicator::allocator()) or of which all ranks have one copy (Communicator::common_memory()). Buffers must be gone
// before their Allocator is. allocate() of a communicator's allocator may be COLLECTIVE (a shared window is): call it
// on every rank, in the same order, with the same size.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual Device device() const = 0;

  // Returns whether a Buffer is the same memory on every rank that allocates it together with the others.
  virtual bool is_common() const { return false; }

  // Zeroed memory, aligned to at least 64 bytes. Throws OutOfMemory that names the size when there is not enough.
  virtual Buffer allocate(std::size_t bytes) = 0;
};

// The host's memory, aligned to 64 bytes, so that a cache line belongs to one buffer; large ones on huge pages of their
// own, which freeing gives back to the system.
class HostAllocator final : public Allocator {
 public:
  Device device() const override { return {}; }
  Buffer allocate(std::size_t bytes) override;
};

}  // namespace lockstep
