#pragma once

#include "base/trace.h"

namespace lockstep {

// Seconds that a rank's main thread has spent in each phase.
struct PhaseSeconds {
  double data = 0;
  double compute = 0;
  double communication = 0;  // including the wait for ranks that come to it later
  double evaluation = 0;
  double saving = 0;

  static PhaseSeconds so_far(const Trace& trace) {
    return {.data = trace.seconds_in(Phase::data),
            .compute = trace.seconds_in(Phase::compute),
            .communication = trace.seconds_in(Phase::communicate),
            .evaluation = trace.seconds_in(Phase::evaluate),
            .saving = trace.seconds_in(Phase::write)};
  }
  // *this + factor * other, phase by phase.
  PhaseSeconds plus(double factor, const PhaseSeconds& other) const {
    return {.data = data + factor * other.data,
            .compute = compute + factor * other.compute,
            .communication = communication + factor * other.communication,
            .evaluation = evaluation + factor * other.evaluation,
            .saving = saving + factor * other.saving};
  }
  double training() const { return data + compute + communication; }
};

}  // namespace lockstep
