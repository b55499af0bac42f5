#include "train/served/stale_gradients.h"

#include <doctest/doctest.h>

namespace lockstep {

TEST_CASE("adaptive optimizers without a bound or sums are warned of, with what helps") {
  for (const std::string optimizer : {"adam", "adamw", "rmsprop", "adagrad", "lamb", "adafactor"}) {
    const std::string warning = warn_of_stale_gradients({}, optimizer, 7);
    CHECK(warning.starts_with("optimizer " + optimizer + " is known to learn badly"));
    CHECK(warning.find("--max_staleness=4") != std::string::npos);
    CHECK(warning.find("--sum_updates=7") != std::string::npos);
  }
  for (const std::string optimizer : {"sgd", "own"}) CHECK(warn_of_stale_gradients({}, optimizer, 7).empty());
}

TEST_CASE("momentum is warned of, also with a bound, but not where no gradient is old or they are added up") {
  TrainSettings settings;
  for (const std::string optimizer : {"momentum", "nesterov", "lars"}) {
    settings.max_staleness = 4;
    const std::string warning = warn_of_stale_gradients(settings, optimizer, 7);
    CHECK(warning.find("acts as more momentum, and optimizer " + optimizer + " may diverge") != std::string::npos);
    CHECK(warning.find("--sum_updates=7") != std::string::npos);
    settings.max_staleness = 0;
    CHECK(warn_of_stale_gradients(settings, optimizer, 7).empty());
  }
  settings.max_staleness.reset();
  settings.sum_updates = 2;
  CHECK(warn_of_stale_gradients(settings, "momentum", 7).empty());
}

TEST_CASE("one worker, a bound or a sum needs no warning") {
  CHECK(warn_of_stale_gradients({}, "adam", 1).empty());
  TrainSettings settings;
  settings.max_staleness = 100;
  CHECK(warn_of_stale_gradients(settings, "adam", 7).empty());
  settings.max_staleness.reset();
  settings.sum_updates = 2;
  CHECK(warn_of_stale_gradients(settings, "adam", 7).empty());
}

}  // namespace lockstep
