#include "ps/value_copies.h"

#include <doctest/doctest.h>

#include "support/check_error.h"

namespace lockstep {
namespace {

TEST_CASE("an update is made in place while nobody reads, else in a free copy") {
  ValueCopies copies(3);
  CHECK(copies.begin_update() == 0);
  CHECK(copies.begin_read() == 0);
  CHECK(copies.begin_read() == 0);
  CHECK(copies.begin_update() == 1);
  CHECK(copies.begin_update() == 1);
  CHECK(copies.begin_read() == 1);
  copies.end_read(0);
  CHECK(copies.begin_update() == 2);
  CHECK(copies.begin_read() == 2);
  CHECK(copies.being_read());
  copies.end_read(0);
  CHECK(copies.begin_update() == 0);
  CHECK(copies.current() == 0);
  copies.end_read(2);
  copies.end_read(1);
  CHECK(!copies.being_read());
}

TEST_CASE("no update while every copy is being read") {
  for (const std::size_t count : {1U, 2U, 5U}) {
    ValueCopies copies(count);
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(copies.may_update());
      CHECK(copies.begin_update() == i);
      CHECK(copies.begin_read() == i);
    }
    CHECK(!copies.may_update());
    check_error(ExitCode::internal, {"every copy"}, [&] { copies.begin_update(); });
    copies.end_read(count / 2);
    CHECK(copies.begin_update() == count / 2);
  }
}

TEST_CASE("the end of a read that nobody began is refused") {
  ValueCopies copies(2);
  check_error(ExitCode::internal, {"copy 0 of 2"}, [&] { copies.end_read(0); });
  check_error(ExitCode::internal, {"copy 2 of 2"}, [&] { copies.end_read(2); });
}

}  // namespace
}  // namespace lockstep
