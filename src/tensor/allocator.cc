#include "tensor/allocator.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace lockstep {

Buffer HostAllocator::allocate(std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (rounded < bytes) throw Error(ExitCode::internal, "out of memory: more bytes asked for than an address can count");
  if (rounded == 0) return {};
  void* data = std::aligned_alloc(kAlignment, rounded);
  if (data == nullptr) {
    throw Error(ExitCode::internal, fmt::format("out of memory: the host has no {:.1f} MB left; use a smaller model, a "
                                                "smaller batch or fewer ranks on this host",
                                                static_cast<double>(bytes) * 1e-6));
  }
  std::memset(data, 0, rounded);
  return {data, bytes, device(), [](void* memory) { std::free(memory); }};
}

}  // namespace lockstep
