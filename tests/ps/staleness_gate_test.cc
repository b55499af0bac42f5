#include "ps/staleness_gate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "base/error.h"

using namespace lockstep;

namespace {

// The rule of the gate once more, over plain lists.
struct GateModel {
  struct Pull {
    std::int64_t number;
    std::int64_t version;
    bool whole;
  };
  std::optional<std::int64_t> bound;
  std::int64_t sum;
  std::vector<Pull> pulls{};  // by age
  std::int64_t updates = 0;
  std::int64_t in_sum = 0;

  void add(std::size_t at) {
    pulls.erase(pulls.begin() + static_cast<std::ptrdiff_t>(at));
    if (++in_sum < sum) return;
    in_sum = 0;
    ++updates;
  }
  bool may_pull() const { return !bound || (in_sum + static_cast<std::int64_t>(pulls.size())) / sum <= *bound; }
  bool may_add(std::size_t at) const {
    if (!bound) return true;
    if (*bound == 0 && at != 0) return false;
    GateModel after = *this;
    after.add(at);
    for (std::size_t i = 0; i < after.pulls.size(); ++i) {
      const std::int64_t made = after.updates - after.pulls[i].version;
      if (made + (after.in_sum + static_cast<std::int64_t>(i)) / sum > *bound) return false;
    }
    return true;
  }
};

struct Outcome {
  std::int64_t most_stale = 0;
  std::int64_t held = 0;  // gradients that were whole and refused
};

// Pulls and adds in random order, for up to `clients` clients with two pulls each.
Outcome simulate_gate(GateModel model, std::size_t clients, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  StalenessGate gate(model.bound, static_cast<int>(model.sum));
  Outcome outcome;
  for (int step = 0; step < 300; ++step) {
    const bool room = model.may_pull();
    REQUIRE(gate.may_pull() == room);
    if (room && model.pulls.size() < 2 * clients && random() % 4 != 0) {
      model.pulls.push_back({gate.pull(), model.updates, false});
    }
    if (model.pulls.empty()) continue;
    model.pulls[random() % model.pulls.size()].whole = true;
    bool passes = false;
    for (std::size_t at = 0; at < model.pulls.size(); ++at) {
      REQUIRE(gate.may_add(model.pulls[at].number) == model.may_add(at));
      passes = passes || model.may_add(at);
    }
    REQUIRE(passes);  // with all whole, nothing would lock up
    REQUIRE(model.may_add(0));
    const std::size_t at = random() % model.pulls.size();
    if (!model.pulls[at].whole || random() % 2 == 0) continue;
    if (!model.may_add(at)) {
      ++outcome.held;
      continue;
    }
    const std::int64_t staleness = model.updates - model.pulls[at].version;
    REQUIRE(gate.add(model.pulls[at].number) == staleness);
    outcome.most_stale = std::max(outcome.most_stale, staleness);
    model.add(at);
  }
  return outcome;
}

}  // namespace

TEST_CASE("no gradient is staler than the bound, and the gate refuses only what its rule says") {
  for (const std::int64_t bound : {-1, 0, 1, 2, 4, 8}) {
    for (const std::int64_t sum : {1, 2, 3, 4, 5}) {
      Outcome all;
      for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(bound);
        CAPTURE(sum);
        CAPTURE(seed);
        const auto given = bound < 0 ? std::nullopt : std::optional(bound);
        const Outcome one = simulate_gate({.bound = given, .sum = sum}, 1 + seed % 9, seed);
        all.most_stale = std::max(all.most_stale, one.most_stale);
        all.held += one.held;
      }
      if (bound >= 0) CHECK(all.most_stale <= bound);
      if (bound < 0) CHECK(all.most_stale > 8 / sum);
      if (sum == 1 && bound >= 0 && bound < 8) CHECK(all.most_stale == bound);  // the bound is used up
      if (bound < 0 || (bound == 0 && sum == 1)) CHECK(all.held == 0);
      if (bound >= 0 && bound * sum <= 4 && bound + sum > 1) CHECK(all.held > 0);
    }
  }
}

TEST_CASE("a bound of 0 admits the pulls of one sum, whose gradients are added by age") {
  StalenessGate gate(0, 3);
  gate.pull();
  CHECK(gate.add(0) == 0);
  for (std::int64_t update = 0; update < 7; ++update) {
    const std::int64_t first = 1 + 3 * update;  // the second of its sum
    CHECK(gate.pull() == first);
    CHECK(gate.pull() == first + 1);
    CHECK_FALSE(gate.may_pull());
    CHECK_FALSE(gate.may_add(first + 1));
    CHECK(gate.add(first) == 0);
    CHECK_FALSE(gate.may_pull());
    CHECK(gate.add(first + 1) == 0);
    CHECK(gate.pull() == first + 2);
    CHECK(gate.add(first + 2) == 0);
  }
}

TEST_CASE("with a bound of 1 a gradient passes one older pull, not two in a row") {
  StalenessGate gate(1, 1);
  gate.pull();
  gate.pull();
  CHECK_FALSE(gate.may_pull());
  CHECK(gate.add(1) == 0);  // pull 0 is one update stale now
  CHECK(gate.pull() == 2);
  CHECK_FALSE(gate.may_add(2));
  CHECK(gate.add(0) == 1);
  CHECK(gate.add(2) == 1);
}

TEST_CASE("a forgotten pull holds nothing back") {
  StalenessGate gate(1, 1);
  gate.pull();
  gate.pull();
  gate.add(1);
  gate.pull();
  gate.forget(0);
  CHECK(gate.add(2) == 0);
  CHECK_THROWS_AS(gate.forget(0), Error);
  CHECK_THROWS_AS(gate.add(0), Error);
}

TEST_CASE("a short update counts as one") {
  StalenessGate gate({}, 3);
  gate.pull();
  gate.add(0);
  gate.pull();
  CHECK_THROWS_AS(gate.update_short(), Error);
  gate.add(1);
  gate.update_short();
  CHECK_THROWS_AS(gate.update_short(), Error);
  gate.pull();
  CHECK(gate.add(2) == 0);
}
