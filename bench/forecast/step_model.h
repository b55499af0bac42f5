#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "cost.h"

namespace lockstep::bench {

// A step of training, as one rank sees it.
struct TrainingStep {
  // When ranks exchange what they learned.
  enum class Exchange {
    every_step,  // gradients, behind the backward pass
    delayed,     // gradients, behind all of the next step; train does not have this yet
    averaging,   // parameters, in float32, every sync_every steps
  };

  double parameters = 0;
  double compute_ms = 0;          // forward and backward pass and update, without the exchange
  std::optional<double> overlap;  // the share of the backward pass that can hide the exchange; none: overlap_of()
  double fusion_mb = 4;           // float32 values of a bucket, in MB of 2^20 bytes
  WireType wire = WireType::float32;
  Exchange exchange = Exchange::every_step;
  std::int64_t sync_every = 1;
  double batch = 0;  // samples of a rank; 0: not given
};

// Milliseconds of a step, on average.
struct StepTime {
  double communication_ms = 0;
  double exposed_ms = 0;  // the part of it for which ranks wait
  double step_ms = 0;
  double efficiency = 0;  // of ranks that would not exchange at all: 1 at best
};

// The time of a sum of so many bytes on the ranks in question.
using SumTime = std::function<double(double bytes, WireType wire)>;

// The share of the backward pass that buckets leave for the exchange: the first of them is complete only after its part
// of the pass.
double overlap_of(const TrainingStep& step);

// Pure. What is not in it makes real steps longer: ranks that are slower than others, batches that come late, a network
// that others use, and converting values to the wire's type and back.
StepTime step_time(const TrainingStep& step, const SumTime& sum_us);

}  // namespace lockstep::bench
