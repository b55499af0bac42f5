#include "step_model.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace lockstep::bench {
namespace {

using doctest::Approx;
using Exchange = TrainingStep::Exchange;

constexpr double kBucket = 1 << 20;  // values of 4 MB

// A sum that takes 1 ms for each MB of 2^20 bytes; the control values take next to nothing.
double ms_per_mb(double bytes, WireType /*wire*/) { return bytes / (1 << 20) * 1e3; }

TrainingStep step_of(double buckets, double compute_ms) {
  return {.parameters = buckets * kBucket, .compute_ms = compute_ms, .overlap = {}};
}

TEST_CASE("sums behind the backward pass cost the last of them") {
  const StepTime time = step_time(step_of(10, 300), ms_per_mb);
  CHECK(time.communication_ms == Approx(40).epsilon(1e-4));
  CHECK(time.exposed_ms == Approx(4).epsilon(1e-4));
  CHECK(time.step_ms == Approx(304).epsilon(1e-4));
  CHECK(time.efficiency == Approx(300.0 / 304).epsilon(1e-4));
}

// The schedule itself: bucket i of n is complete when that part of the backward pass is done, and sums follow each
// other.
double step_by_schedule(int buckets, double compute_ms, double sum_ms) {
  const double forward = compute_ms / 3;
  const double backward = compute_ms - forward;
  double end = 0;
  for (int i = 1; i <= buckets; ++i) end = std::max(end, forward + backward * i / buckets) + sum_ms;
  return end;
}

TEST_CASE("without --overlap the time is that of the schedule of buckets") {
  for (const double compute_ms : {1.0, 30.0, 60.0, 61.0, 300.0}) {
    for (const int buckets : {1, 2, 10}) {
      CAPTURE(compute_ms);
      CAPTURE(buckets);
      CHECK(step_time(step_of(buckets, compute_ms), ms_per_mb).step_ms ==
            Approx(step_by_schedule(buckets, compute_ms, 4)).epsilon(1e-3));
    }
  }
}

TEST_CASE("a smaller last bucket, and types of the wire") {
  TrainingStep step = step_of(2.5, 1);
  step.overlap = 0;
  CHECK(step_time(step, ms_per_mb).exposed_ms == Approx(10).epsilon(1e-4));
  step.wire = WireType::bfloat16;
  CHECK(step_time(step, ms_per_mb).exposed_ms == Approx(5).epsilon(1e-4));
  step.wire = WireType::int8;
  CHECK(step_time(step, ms_per_mb).exposed_ms == Approx(2.5).epsilon(1e-4));
}

TEST_CASE("a step's delay hides sums behind all computation") {
  TrainingStep step = step_of(10, 40.0);
  step.exchange = Exchange::delayed;
  CHECK(step_time(step, ms_per_mb).step_ms == Approx(40).epsilon(1e-4));
  step.compute_ms = 10;
  CHECK(step_time(step, ms_per_mb).step_ms == Approx(40).epsilon(1e-4));
}

TEST_CASE("averaging sums the parameters whole, once in so many steps") {
  TrainingStep step = step_of(10, 40);
  step.exchange = Exchange::averaging;
  step.sync_every = 8;
  int calls = 0;
  const StepTime time = step_time(step, [&](double bytes, WireType wire) {
    ++calls;
    CHECK(bytes == 40 << 20);
    CHECK(wire == WireType::float32);
    return ms_per_mb(bytes, wire);
  });
  CHECK(calls == 1);
  CHECK(time.exposed_ms == Approx(5));
  CHECK(time.efficiency == Approx(40.0 / 45));
}

TEST_CASE("no efficiency is above 1, and none below is without a reason") {
  for (const Exchange exchange : {Exchange::every_step, Exchange::delayed, Exchange::averaging}) {
    for (const double compute_ms : {0.01, 1.0, 1e6}) {
      TrainingStep step = step_of(3, compute_ms);
      step.exchange = exchange;
      const StepTime time = step_time(step, ms_per_mb);
      CHECK(time.efficiency > 0);
      CHECK(time.efficiency <= 1);
      CHECK(time.exposed_ms <= time.communication_ms);
      step.overlap = 1;
      CHECK(step_time(step, [](double, WireType) { return 0.0; }).efficiency == 1);
    }
  }
}

}  // namespace
}  // namespace lockstep::bench
