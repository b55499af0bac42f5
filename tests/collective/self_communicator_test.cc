#include "collective/self_communicator.h"

#include <doctest/doctest.h>

#include <vector>

#include "base/error.h"
#include "collective/tree_reference.h"
#include "support/ranks.h"

namespace lockstep {

TEST_CASE("a world of one keeps its values, and copies what it sends itself") {
  StatusLine line;
  Trace trace(line, 0);
  const auto communicator = make_self_communicator(trace);
  CHECK(communicator->rank() == 0);
  CHECK(communicator->size() == 1);

  std::vector<float> values = {1, 2, 3};
  communicator->wait(communicator->all_reduce({values.data(), DType::float32, {3}}));
  CHECK(values == std::vector<float>{1, 2, 3});
  CHECK(all_gather_value(*communicator, 7) == std::vector<int>{7});

  int from[2] = {4, 5};
  int to[2] = {};
  const SendPiece sends[] = {{0, std::as_bytes(std::span(from, 1))}, {0, std::as_bytes(std::span(from + 1, 1))}};
  const ReceivePiece receives[] = {{0, std::as_writable_bytes(std::span(to, 1))},
                                   {0, std::as_writable_bytes(std::span(to + 1, 1))}};
  communicator->exchange(sends, receives);
  CHECK(to[0] == 4);
  CHECK(to[1] == 5);
  CHECK_THROWS_AS(communicator->exchange(sends, {}), Error);

  CHECK(communicator->split(-1, 0) == nullptr);
  CHECK(communicator->split(3, 0)->size() == 1);
  communicator->close();
  CHECK_THROWS_AS(meet(*communicator), Error);
}

}  // namespace lockstep
