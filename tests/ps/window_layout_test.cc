#include "ps/window_layout.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "support/check_error.h"

namespace lockstep {
namespace {

TEST_CASE("copies and mailboxes are apart, at multiples of 64 bytes, within the memory") {
  for (const auto& [count, dtype, size] :
       {std::tuple(1, DType::float32, 4), std::tuple(15, DType::float32, 4), std::tuple(16, DType::float32, 4),
        std::tuple(17, DType::float32, 4), std::tuple(1003, DType::float32, 4), std::tuple(31, DType::bfloat16, 2),
        std::tuple(32, DType::float16, 2), std::tuple(1003, DType::bfloat16, 2)}) {
    CAPTURE(count);
    CAPTURE(size);
    const WindowLayout layout(count, 3, 5, dtype);
    std::vector<std::int64_t> begins;
    for (std::int64_t i = 0; i < 3; ++i) begins.push_back(layout.copy(i));
    for (std::int64_t client = 0; client < 5; ++client) {
      for (std::int64_t slot = 0; slot < 2; ++slot) begins.push_back(layout.mailbox(client, slot));
    }
    begins.push_back(layout.bytes());
    CHECK(begins.front() == 0);
    CHECK(std::ranges::all_of(begins, [](std::int64_t begin) { return begin % 64 == 0; }));
    for (std::size_t i = 1; i < begins.size(); ++i) {
      CHECK(begins[i] - begins[i - 1] >= count * size);
      CHECK(begins[i] - begins[i - 1] < count * size + 64);
    }
  }
}

TEST_CASE("places that do not exist are refused") {
  const WindowLayout layout(10, 2, 3, DType::float32);
  check_error(ExitCode::internal, {"copy 2 of 2"}, [&] { layout.copy(2); });
  check_error(ExitCode::internal, {"mailbox 0 of client 3"}, [&] { layout.mailbox(3, 0); });
  check_error(ExitCode::internal, {"mailbox 2 of client 0"}, [&] { layout.mailbox(0, 2); });
}

}  // namespace
}  // namespace lockstep
