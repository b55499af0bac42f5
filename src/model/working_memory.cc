#include "model/working_memory.h"

#include <algorithm>

namespace lockstep {
namespace {

constexpr std::size_t kCacheLine = 64;  // alignment of pieces

}  // namespace

Tensor WorkingMemory::take(Backend& backend, DType dtype, const Shape& shape) {
  const std::size_t bytes = static_cast<std::size_t>(shape.elements()) * size_of(dtype);
  const std::size_t rounded = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
  while (buffer_ < buffers_.size() && used_ + rounded > buffers_[buffer_].bytes()) {
    ++buffer_;
    used_ = 0;
  }
  if (buffer_ == buffers_.size()) {
    buffers_.push_back(backend.allocator().allocate(buffers_.empty() ? std::max(rounded, most_) : rounded));
  }
  const auto data = static_cast<std::byte*>(buffers_[buffer_].data()) + used_;
  used_ += rounded;
  taken_ += rounded;
  most_ = std::max(most_, taken_);
  return {data, dtype, shape, backend.device()};
}

WorkingMemory::Frame::Frame(WorkingMemory* memory) : memory_(memory) {
  if (memory_ == nullptr) return;
  buffer_ = memory_->buffer_;
  used_ = memory_->used_;
  taken_ = memory_->taken_;
}

// Once nothing is in use, memory that has grown by pieces becomes one buffer, at the next piece.
WorkingMemory::Frame::~Frame() {
  if (memory_ == nullptr) return;
  memory_->buffer_ = buffer_;
  memory_->used_ = used_;
  memory_->taken_ = taken_;
  if (taken_ > 0 || memory_->buffers_.size() < 2) return;
  memory_->buffers_.clear();
  memory_->buffer_ = 0;
  memory_->used_ = 0;
}

}  // namespace lockstep
