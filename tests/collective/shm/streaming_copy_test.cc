#include "collective/shm/streaming_copy.h"

#include <doctest/doctest.h>

#include <vector>

namespace lockstep {

TEST_CASE("a streaming copy is all of the bytes and no others, wherever they begin and end") {
  constexpr std::size_t kMost = 400;
  std::vector<std::byte> from(kMost);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(1 + i % 251);
  std::size_t wrong = 0;
  for (const std::size_t from_begin : {0U, 3U, 64U}) {
    for (std::size_t begin = 0; begin < 66; ++begin) {
      for (const std::size_t bytes : {0U, 1U, 15U, 63U, 64U, 65U, 128U, 300U}) {
        std::vector<std::byte> to(kMost, std::byte{0});
        streaming_copy(to.data() + begin, from.data() + from_begin, bytes);
        for (std::size_t i = 0; i < to.size(); ++i) {
          const bool copied = i >= begin && i < begin + bytes;
          wrong += to[i] == (copied ? from[from_begin + i - begin] : std::byte{0}) ? 0 : 1;
        }
      }
    }
  }
  CHECK(wrong == 0);
}

}  // namespace lockstep
