#include "optim/update_plan.h"

#include <doctest/doctest.h>

#include "base/error.h"

namespace lockstep {
namespace {

using Decay = Optimizer::Decay;

struct Expected {
  FlatRange range;
  Decay decay;
};

void check_spans(const std::vector<UpdateSpan>& spans, const std::vector<Expected>& expected) {
  REQUIRE(spans.size() == expected.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    CAPTURE(i);
    CHECK((spans[i].range == expected[i].range));
    CHECK((spans[i].decay == expected[i].decay));
  }
}

void check_plan(const ParameterTable& table, bool sliceable, const std::vector<Expected>& expected) {
  check_spans(plan_updates(table, sliceable), expected);
}

// kernel [0, 15), bias [16, 21), shift [32, 37), kernel [48, 51), kernel [64, 96)
ParameterTable five_variables() {
  ParameterTable table;
  table.add("a/kernel", {3, 5}, true);
  table.add("a/bias", {5}, false);
  table.add("norm/shift", {5}, false);
  table.add("b/kernel", {3}, true);
  table.add("c/kernel", {32}, true);
  return table;
}

TEST_CASE("neighbours that decay alike are one span, padding between them included") {
  check_plan(five_variables(), true,
             {{{0, 15}, Decay::decayed}, {{16, 37}, Decay::spared}, {{48, 96}, Decay::decayed}});
}

TEST_CASE("an optimizer that is not sliceable gets variable by variable") {
  check_plan(five_variables(), false,
             {{{0, 15}, Decay::decayed},
              {{16, 21}, Decay::spared},
              {{32, 37}, Decay::spared},
              {{48, 51}, Decay::decayed},
              {{64, 96}, Decay::decayed}});
}

TEST_CASE("a span that is a variable has its shape, in parts of a store too") {
  const ParameterTable table = five_variables();
  const std::vector<FlatRange> owned{{0, 32}};
  CHECK((plan_updates(table, false)[0].shape == Shape{3, 5}));
  CHECK((plan_updates(table, false, owned)[0].shape == Shape{3, 5}));
  CHECK((plan_updates(table, true)[0].shape == Shape{}));
}

TEST_CASE("constants are in no span, and end one") {
  ParameterTable table;
  table.add_constant("input/mean", {4});
  table.add("a/kernel", {16}, true);
  table.add("b/kernel", {16}, true);
  table.add_constant("steps", {1});
  table.add("c/kernel", {16}, true);
  check_plan(table, true, {{{16, 48}, Decay::decayed}, {{64, 80}, Decay::decayed}});
  check_plan(table, false, {{{16, 32}, Decay::decayed}, {{32, 48}, Decay::decayed}, {{64, 80}, Decay::decayed}});
}

TEST_CASE("of what is owned, the parts that are in spans") {
  const ParameterTable table = five_variables();
  const auto check = [&](bool sliceable, std::vector<FlatRange> owned, const std::vector<Expected>& expected) {
    check_spans(plan_updates(table, sliceable, owned), expected);
  };
  check(true, {{0, 96}}, {{{0, 15}, Decay::decayed}, {{16, 37}, Decay::spared}, {{48, 96}, Decay::decayed}});
  check(true, {{8, 32}, {64, 80}}, {{{8, 15}, Decay::decayed}, {{16, 32}, Decay::spared}, {{64, 80}, Decay::decayed}});
  check(true, {{40, 48}}, {});
  check(true, {}, {});
  check(false, {{16, 48}, {64, 96}},
        {{{16, 21}, Decay::spared}, {{32, 37}, Decay::spared}, {{64, 96}, Decay::decayed}});
  CHECK_THROWS_AS(plan_updates(table, false, std::vector<FlatRange>{{0, 80}}), Error);
}

TEST_CASE("nothing to train, no spans") {
  check_plan({}, true, {});
  check_plan({}, false, {});
  ParameterTable table;
  table.add_constant("input/mean", {4});
  check_plan(table, true, {});
}

TEST_CASE("a variable without elements neither is a span nor ends one") {
  ParameterTable table;
  table.add("a/kernel", {16}, true);
  table.add("empty/kernel", {0, 7}, true);
  table.add("b/kernel", {3}, true);
  check_plan(table, true, {{{0, 19}, Decay::decayed}});
  check_plan(table, false, {{{0, 16}, Decay::decayed}, {{16, 19}, Decay::decayed}});
}

}  // namespace
}  // namespace lockstep
