#include "base/environment.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "support/fake_environment.h"

namespace lockstep {

TEST_CASE("environment: the process's own variables") {
  REQUIRE(::setenv("LOCKSTEP_TEST_VARIABLE", "a b", 1) == 0);
  CHECK(process_environment()("LOCKSTEP_TEST_VARIABLE") == "a b");
  ::unsetenv("LOCKSTEP_TEST_VARIABLE");
  CHECK_FALSE(process_environment()("LOCKSTEP_TEST_VARIABLE").has_value());
}

TEST_CASE("environment: variables by the beginning of their names") {
  REQUIRE(::setenv("LOCKSTEP_PREFIX_B", "", 1) == 0);
  REQUIRE(::setenv("LOCKSTEP_PREFIX_A", "x=y", 1) == 0);
  CHECK(variables_with_prefix("LOCKSTEP_PREFIX_") ==
        std::vector<std::string>{"LOCKSTEP_PREFIX_A=x=y", "LOCKSTEP_PREFIX_B="});
  ::unsetenv("LOCKSTEP_PREFIX_A");
  ::unsetenv("LOCKSTEP_PREFIX_B");
  CHECK(variables_with_prefix("LOCKSTEP_PREFIX_").empty());
}

TEST_CASE("environment: counts") {
  const Environment environment = fake_environment({{"A", "0"}, {"B", "17"}, {"C", "-1"}, {"D", "1x"}, {"E", ""}});
  CHECK(count_in(environment, "A") == 0);
  CHECK(count_in(environment, "B") == 17);
  for (const char* name : {"C", "D", "E", "F"}) CHECK_FALSE(count_in(environment, name).has_value());
}

}  // namespace lockstep
