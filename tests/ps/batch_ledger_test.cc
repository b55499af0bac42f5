#include "ps/batch_ledger.h"

#include <doctest/doctest.h>

#include "base/error.h"

using namespace lockstep;
using Batches = std::vector<std::int64_t>;

TEST_CASE("missed batches come first, then the next ones, and no more than the run takes") {
  const Batches missed{7, 3};
  BatchLedger ledger(10, 4, missed);
  CHECK(ledger.unapplied() == Batches{3, 7});
  Batches taken;
  while (ledger.left() > 0) taken.push_back(ledger.take());
  CHECK(taken == Batches{3, 7, 10, 11});
  CHECK(ledger.next() == 12);
  CHECK_THROWS_AS(ledger.take(), Error);
}

TEST_CASE("a batch is unapplied until it is applied") {
  BatchLedger ledger(0, 5);
  for (int i = 0; i < 3; ++i) ledger.take();
  ledger.applied(1);
  CHECK(ledger.unapplied() == Batches{0, 2});
  CHECK(ledger.next() == 3);
  CHECK_THROWS_AS(ledger.applied(1), Error);
  CHECK_THROWS_AS(ledger.applied(3), Error);
}

TEST_CASE("a batch that is given back is handed out again, before others") {
  BatchLedger ledger(0, 3);
  for (int i = 0; i < 3; ++i) ledger.take();
  ledger.applied(0);
  ledger.give_back(1);
  CHECK(ledger.unapplied() == Batches{1, 2});
  CHECK(ledger.left() == 1);
  CHECK(ledger.take() == 1);
  CHECK_THROWS_AS(ledger.give_back(0), Error);
}

TEST_CASE("a run of fewer batches than were missed leaves the rest unapplied") {
  const Batches missed{1, 4, 6};
  BatchLedger ledger(8, 2, missed);
  ledger.applied(ledger.take());
  ledger.applied(ledger.take());
  CHECK(ledger.left() == 0);
  CHECK(ledger.unapplied() == Batches{6});
  CHECK(ledger.next() == 8);
}

TEST_CASE("a limit ends the run early") {
  BatchLedger ledger(0, 5);
  CHECK_THROWS_AS(ledger.limit(6), Error);
  ledger.limit(1);
  CHECK(ledger.take() == 0);
  CHECK(ledger.left() == 0);
}

TEST_CASE("missed batches that cannot be are refused") {
  CHECK_THROWS_AS(BatchLedger(2, 1, Batches{2}), Error);
  CHECK_THROWS_AS(BatchLedger(2, 1, Batches{-1}), Error);
  CHECK_THROWS_AS(BatchLedger(2, 1, Batches{1, 1}), Error);
}
