#include "model/uploaded_numbers.h"

#include <cstring>

namespace lockstep {

Tensor UploadedNumbers::upload(Backend& backend, std::span<const std::int32_t> numbers) {
  const Tensor there = memory_.get(backend, DType::int32, {std::ssize(numbers)});
  if (numbers.empty()) return there;
  Copy& copy = copies_[next_++ % copies_.size()];
  backend.wait_on_host(copy.copied);
  if (copy.memory.bytes() < numbers.size_bytes()) copy.memory = backend.host_allocator().allocate(numbers.size_bytes());
  std::memcpy(copy.memory.data(), numbers.data(), numbers.size_bytes());
  backend.copy(view(copy.memory, DType::int32, there.shape()), there);
  copy.copied = backend.record();
  return there;
}

}  // namespace lockstep
