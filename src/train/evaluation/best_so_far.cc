#include "train/evaluation/best_so_far.h"

#include <cmath>

namespace lockstep {

bool BestSoFar::add(std::int64_t evaluated_step, double evaluated_value, Metric::Better better) {
  if (evaluated_step <= last_step) return false;
  last_step = evaluated_step;
  const bool higher = better == Metric::Better::higher;
  const bool gain =
      std::isfinite(evaluated_value) && (step == 0 || (higher ? evaluated_value > value : evaluated_value < value));
  if (!gain) {
    ++without_gain;
    return false;
  }
  step = evaluated_step;
  value = evaluated_value;
  without_gain = 0;
  return true;
}

}  // namespace lockstep
