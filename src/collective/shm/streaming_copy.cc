#include "collective/shm/streaming_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace lockstep {

#if defined(__SSE2__)

// Every x86-64 has these stores. A line leaves the core when all of it has been written, so wider ones gain nothing.
void streaming_copy(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);
  const std::size_t before = std::min(bytes, (kLine - reinterpret_cast<std::uintptr_t>(out) % kLine) % kLine);
  if (before > 0) std::memcpy(out, in, before);
  std::size_t done = before;
  for (; done + kLine <= bytes; done += kLine) {
    for (std::size_t part = done; part < done + kLine; part += sizeof(__m128i)) {
      const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + part));
      _mm_stream_si128(reinterpret_cast<__m128i*>(out + part), four);
    }
  }
  if (done < bytes) std::memcpy(out + done, in + done, bytes - done);
  _mm_sfence();  // these stores are ordered with no others
}

#else

void streaming_copy(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

#endif

}  // namespace lockstep
