#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "collective/communicator.h"
#include "train/config/training_rank.h"

namespace lockstep {

// Requests of one rank to all, between two steps: to stop, or to save. A flag among a step's control values says that a
// rank has a request; only then do the ranks exchange the requests. Main thread.
class Requests {
 public:
  struct Options {
    bool chief = false;                               // this rank is the chief
    std::optional<std::chrono::seconds> save_time{};  // the chief wants to save this long after the last save
    std::optional<std::chrono::seconds> save_time_before_evaluation{};  // save_time before an evaluation
    std::optional<std::chrono::seconds> time_limit{};  // time since the process started by which the chief is to end
  };
  // Actions that all ranks take now.
  struct Agreed {
    bool save = false;
    std::optional<std::string> stop{};  // reason to stop: "SIGUSR1 from process 4711, seen by rank 2"; none: go on
    int signal = 0;                     // signal that asked to stop; 0: the clock did, or there is no stop
  };

  Requests(Communicator& world, StopSource source, const Options& options);

  // follows: an evaluation comes after the step. It looks at no requests, so the chief wants to save before it, unless
  // it did so a moment ago.
  void evaluation_follows(bool follows) { evaluation_follows_ = follows; }
  // Returns whether this rank has a request. Called in every step.
  bool any() const;
  // Call once at every agreement point, even without requests: the interval bounds a request's latency. expected_save:
  // seconds a save will take from here on.
  void at_meeting(double expected_save);
  void saved() { since_save_.restart(); }

  // Exchanges the requests. To be called after a meeting whose control values had a request. COLLECTIVE.
  Agreed agree();

 private:
  bool asked_to_stop() const { return source_.requested != nullptr && source_.requested->load(); }
  bool asked_to_save() const { return options_.chief && save_requests() != granted_; }
  std::int64_t save_requests() const { return source_.save_requests != nullptr ? source_.save_requests->load() : 0; }
  bool time_to_save() const;
  bool time_is_up() const;

  Communicator& world_;
  StopSource source_;
  Options options_;
  std::int64_t granted_ = 0;  // save requests that were granted
  bool evaluation_follows_ = false;
  Stopwatch since_save_;
  Stopwatch since_meeting_;
  double longest_between_meetings_ = 0;  // seconds
  double expected_save_ = 0;
};

}  // namespace lockstep
