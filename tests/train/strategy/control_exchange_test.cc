#include "train/strategy/control_exchange.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/ranks.h"

namespace lockstep {

TEST_CASE("control values are summed over all shares of all ranks, step after step: the same for any ranks") {
  for_ranks([](Communicator& communicator) {
    constexpr int kShares = 60;  // over all ranks; rank r has shares r, r + size, ...
    const auto backend = make_backend({});
    ControlExchange exchange(communicator, *backend);
    for (int step = 0; step < 2; ++step) {
      exchange.begin(0);
      for (int share = communicator.rank(); share < kShares; share += communicator.size()) {
        exchange.add({.loss = 0.1 * share, .weight = 1.0 + share, .requests = share % 2});
      }
      exchange.start();
      const ControlValues sums = exchange.finish();
      // Each share's loss is rounded by itself, to 2^-48.
      CHECK(sums.loss == doctest::Approx(0.1 * kShares * (kShares - 1) / 2).epsilon(1e-13));
      CHECK(sums.weight == kShares + kShares * (kShares - 1) / 2);
      CHECK(sums.requests == kShares / 2);
    }
  });
}

TEST_CASE("a rank that adds no share gets the sums, its own are zero, and what it asks travels as that of others") {
  for_ranks([](Communicator& communicator) {
    const auto backend = make_backend({});
    ControlExchange exchange(communicator, *backend);
    const bool idle = communicator.rank() + 1 == communicator.size();
    exchange.begin(idle ? 1 : 0);
    if (!idle) exchange.add({.loss = 2, .weight = 4});
    CHECK(exchange.own().weight == (idle ? 0 : 4));
    exchange.start();
    const ControlValues sums = exchange.finish();
    CHECK(sums.weight == 4 * (communicator.size() - 1));
    CHECK(sums.requests == 1);
  });
}

TEST_CASE("a loss that is not finite on one rank is not finite on all") {
  for_ranks([](Communicator& communicator) {
    const auto backend = make_backend({});
    ControlExchange exchange(communicator, *backend);
    exchange.begin(0);
    exchange.add({.loss = communicator.rank() == 0 ? NAN : 1, .weight = 1});
    exchange.start();
    CHECK(std::isnan(exchange.finish().loss));
  });
}

}  // namespace lockstep
