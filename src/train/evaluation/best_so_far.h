#pragma once

#include <cstdint>

#include "model/metric.h"

namespace lockstep {

// The best of a run's evaluations so far, by one metric; steps come in order. A plain value, which travels between
// ranks as its bytes. Pure.
struct BestSoFar {
  std::int64_t step = 0;  // step of the best; 0: nothing was evaluated to a finite value
  double value = 0;
  std::int64_t last_step = 0;     // last step that was evaluated
  std::int64_t without_gain = 0;  // evaluations after the best one

  // Counts an evaluation. Returns whether it is the best now: the first, or better than all before; of equals the
  // earliest stays. An infinite or NaN value, such as the perplexity of a run that diverges, never is. A step up to
  // last_step is not counted.
  bool add(std::int64_t evaluated_step, double evaluated_value, Metric::Better better);

  bool operator==(const BestSoFar&) const = default;
};

}  // namespace lockstep
