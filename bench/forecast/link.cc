#include "link.h"

#include <algorithm>

#include "base/error.h"

namespace lockstep::bench {
namespace {

double squared_errors(const Link& link, std::span<const Sample> samples) {
  double sum = 0;
  for (const Sample& sample : samples) {
    const double error = (sample.known_us + time_us(link, sample.cost)) / sample.measured_us - 1;
    sum += error * error;
  }
  return sum;
}

}  // namespace

// With x = rounds / t, y = bytes / t and z = 1 - known / t, the errors are alpha x + beta y - z.
Link fit_link(std::span<const Sample> samples) {
  LS_CHECK(!samples.empty(), "a link fitted to nothing");
  double xx = 0;
  double xy = 0;
  double yy = 0;
  double xz = 0;
  double yz = 0;
  for (const Sample& sample : samples) {
    const double x = sample.cost.rounds / sample.measured_us;
    const double y = sample.cost.bytes / sample.measured_us;
    const double z = 1 - sample.known_us / sample.measured_us;
    xx += x * x;
    xy += x * y;
    yy += y * y;
    xz += x * z;
    yz += y * z;
  }
  // If the best of all is below zero in one of the two, the best without is on a border, where the other one is alone.
  const Link bytes_alone{.round_us = 0, .byte_us = std::max(0.0, yz / yy)};
  const Link rounds_alone{.round_us = std::max(0.0, xz / xx), .byte_us = 0};
  const double determinant = xx * yy - xy * xy;
  if (determinant > 1e-9 * xx * yy) {
    const Link both{.round_us = (xz * yy - yz * xy) / determinant, .byte_us = (yz * xx - xz * xy) / determinant};
    if (both.round_us >= 0 && both.byte_us >= 0) return both;
  } else {
    return bytes_alone;
  }
  return squared_errors(rounds_alone, samples) < squared_errors(bytes_alone, samples) ? rounds_alone : bytes_alone;
}

}  // namespace lockstep::bench
