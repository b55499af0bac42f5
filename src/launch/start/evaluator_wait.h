#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "lease/heartbeat_watch.h"

namespace lockstep {

// The lines that the chief prints while it waits, at the end of the training, for the evaluator of its job: one at the
// beginning of the wait, and one whenever the evaluator's heartbeat stops or goes on again. Main thread.
class EvaluatorWait {
 public:
  // timeout_s: limit of the wait; nothing: forever. lease_folder: the evaluator's; "": not known.
  EvaluatorWait(std::optional<double> timeout_s, const std::string& lease_folder);

  // Called often, from the beginning of the wait on.
  void look(Log& log);

 private:
  std::string patience_;
  std::optional<HeartbeatWatch> heartbeat_;
  std::optional<Stopwatch> since_begin_;
  double looked_at_ = 0;  // time of the last look at the heartbeat, in seconds of the wait
};

}  // namespace lockstep
