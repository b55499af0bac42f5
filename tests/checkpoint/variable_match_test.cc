#include "checkpoint/variable_match.h"

#include <doctest/doctest.h>

namespace lockstep {
namespace {

ParameterTable three_kinds() {
  ParameterTable table;
  table.add("linear_0/kernel", Shape({3, 2}), true);
  table.add("linear_0/bias", Shape({2}), false);
  table.add_constant("standardization_0/deviation", Shape(), true);
  return table;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("variables match by name and shape, and what does not is said in the table's order, then the file's") {
  const ParameterTable table = three_kinds();
  StoredVariables stored = {{"linear_0/kernel", {3, 2}}, {"linear_0/bias", {2}}, {"standardization_0/deviation", {}}};
  CHECK(match_variables(stored, table).differences.empty());
  CHECK(match_variables(stored, table).fits.variables().size() == 3);

  stored = {{"linear_0/bias", {3}}, {"standardization_0/deviation", {}}, {"x\n", {}}, {"a", {1, 2, 3, 4, 5, 6}}};
  const VariableMatch match = match_variables(stored, table, "there", "here");
  CHECK(match.differences == Texts{"linear_0/kernel is not in there", "linear_0/bias is (3) in there and (2) in here",
                                   "a is in there alone", "x\\n is in there alone"});
  REQUIRE(match.fits.variables().size() == 1);
  const Variable& fits = match.fits[0];
  CHECK(fits.name == "standardization_0/deviation");
  CHECK(fits.range.begin == 0);
  CHECK(fits.positive);
  CHECK_FALSE(fits.trainable);
}

TEST_CASE("the values of stored variables are counted as long as 64 bits do") {
  CHECK(count_values({}) == 0);
  CHECK(count_values({{"scalar", {}}, {"none", {0, 7}}, {"some", {3, 5}}}) == 16);
  const std::int64_t large = std::int64_t{1} << 32;
  CHECK_FALSE(count_values({{"product", {large, large}}}));
  CHECK_FALSE(count_values({{"one", {large, large / 4}}, {"two", {large, large / 4}}}));
}

TEST_CASE("of many differences a message has the first") {
  CHECK(first_of({"a", "b"}, 2, "; ") == "a; b");
  CHECK(first_of({"a", "b", "c", "d"}, 2, "; ") == "a; b; and 2 more");
  CHECK(first_of({}, 2, "; ").empty());
}

}  // namespace lockstep
