#include "optim/linear_scaling.h"

#include <doctest/doctest.h>

#include "optim/schedule_hparams.h"

namespace lockstep {
namespace {

using OtherWarmup = LinearScaling::OtherWarmup;

LinearScaling scaling(std::int64_t reference, std::int64_t batch, std::int64_t warmup = 0,
                      OtherWarmup other = OtherWarmup::none) {
  HParams hparams = schedule_hparams(1, "constant", warmup);
  hparams.set("learning_rate_reference_batch", reference);
  return {hparams, {.train_steps = 1000, .steps_per_epoch = 20, .global_batch = batch}, other};
}

TEST_CASE("off, or absent from the set: the rate stays") {
  CHECK(scaling(0, 1024).at(1) == 1);
  CHECK(scaling(0, 1024).at(1000) == 1);
  CHECK(scaling(0, 1024).description().empty());
  const LinearScaling absent(schedule_hparams(1, "constant"), {.global_batch = 64}, OtherWarmup::none);
  CHECK(absent.at(7) == 1);
}

TEST_CASE("the factor rises evenly from 1 to k over five epochs") {
  const LinearScaling four = scaling(256, 1024);
  CHECK(four.at(1) == 1);
  CHECK(four.at(26) == doctest::Approx(1.75));
  CHECK(four.at(51) == doctest::Approx(2.5));
  CHECK(four.at(101) == 4);
  CHECK(four.at(1000) == 4);
  CHECK(four.description() ==
        "linear scaling: global batch 1024 / 256 = learning rate x 4, after a warm-up of 100 steps");
}

TEST_CASE("or over learning_rate_warmup_steps") {
  const LinearScaling two = scaling(64, 160, 10);
  CHECK(two.at(1) == 1);
  CHECK(two.at(6) == doctest::Approx(1.75));
  CHECK(two.at(11) == 2.5);
  CHECK(two.description() ==
        "linear scaling: global batch 160 / 64 = learning rate x 2.5, after a warm-up of 10 steps");
  CHECK(scaling(64, 128, 1).description().find("after a warm-up of 1 step") != std::string::npos);
}

TEST_CASE("a smaller batch gets a smaller rate at once") {
  CHECK(scaling(256, 64).at(1) == 0.25);
  CHECK(scaling(256, 64).description() == "linear scaling: global batch 64 / 256 = learning rate x 0.25");
  CHECK(scaling(256, 256).at(1) == 1);
}

TEST_CASE("none if the schedule has a warm-up") {
  const LinearScaling four = scaling(256, 1024, 500, OtherWarmup::factor);
  CHECK(four.at(1) == 4);
  CHECK(four.description() == "linear scaling: global batch 1024 / 256 = learning rate x 4, warmed up by the schedule");
}

TEST_CASE("a warm-up that is longer than the run is said") {
  CHECK(scaling(256, 1024, 5000).description() ==
        "linear scaling: global batch 1024 / 256 = learning rate x 4, after a warm-up of 5000 steps, which this run of "
        "1000 does not finish; set learning_rate_warmup_steps");
}

}  // namespace
}  // namespace lockstep
