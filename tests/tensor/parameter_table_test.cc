#include "tensor/parameter_table.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "support/check_error.h"

namespace lockstep {

TEST_CASE("variables start at cache lines and their padded ranges tile the store") {
  ParameterTable table;
  CHECK(table.add("a/kernel", {3, 5}, true) == 0);
  CHECK(table.add("a/bias", {5}, false) == 1);
  CHECK(table.add("b/kernel", {4, 4}, true) == 2);
  CHECK(table[0].range == FlatRange{0, 15});
  CHECK(table[1].range == FlatRange{16, 21});
  CHECK(table[2].range == FlatRange{32, 48});
  CHECK(table.padded_count() == 48);
  CHECK(table.parameter_count() == 36);
  CHECK(table.padded(0, 2) == FlatRange{0, 32});
  CHECK(table.padded(2, 3) == FlatRange{32, 48});
}

TEST_CASE("an element is found in its variable, padding included") {
  ParameterTable table;
  table.add("a", {3}, true);
  table.add("b", {17}, true);
  CHECK(table.owner_of(0).name == "a");
  CHECK(table.owner_of(15).name == "a");
  CHECK(table.owner_of(16).name == "b");
  CHECK(table.owner_of(47).name == "b");
  CHECK_THROWS_AS(table.owner_of(48), Error);
}

TEST_CASE("a range of variables that are not there names the first of them") {
  ParameterTable table;
  table.add("a", {3}, true);
  table.add("b", {17}, true);
  CHECK(table.padded(1, 2) == FlatRange{16, 48});
  check_error(ExitCode::internal, {"padded(1, 3) was asked for, from b on, of 2 variables"},
              [&] { table.padded(1, 3); });
  check_error(ExitCode::internal, {"padded(-1, 1) was asked for, of 2"}, [&] { table.padded(-1, 1); });
  check_error(ExitCode::internal, {"padded(1, 0)"}, [&] { table.padded(1, 0); });
}

TEST_CASE("two variables of one name are a mistake") {
  ParameterTable table;
  table.add("a", {3}, true);
  CHECK_THROWS_AS(table.add("a", {4}, true), Error);
}

}  // namespace lockstep
