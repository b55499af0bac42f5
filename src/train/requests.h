#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "collective/communicator.h"

namespace lockstep {

// Who asks this process to stop; launch/ fills it from signals.
struct StopSource {
  const std::atomic<bool>* requested = nullptr;  // null: nobody can ask
  std::function<std::string()> reason{};         // "SIGUSR1 from process 4711"; once requested is true
  Stopwatch since_start{};                       // of the process: what --stop_after counts from
};

// What one rank wants of all, between two steps: to stop, to save. That a rank wants something travels with the control
// values of a step; only then do the ranks exchange what it is. Main thread.
class Requests {
 public:
  struct Options {
    std::optional<std::chrono::seconds> save_time{};   // the chief wants to save so long after the last save
    std::optional<std::chrono::seconds> stop_after{};  // the chief wants to stop in time to be done by then
  };
  // What all ranks do now.
  struct Agreed {
    bool save = false;
    std::optional<std::string> stop{};  // why: "SIGUSR1 from process 4711, seen by rank 2"
  };

  Requests(Communicator& world, StopSource source, const Options& options);

  // Whether this rank wants something. Called in every step.
  bool any() const;
  // At each point where all ranks can act together, whether or not anybody wants anything: the time between two of them
  // is what a request may have to wait. expected_save: seconds a save will take from here on.
  void at_meeting(double expected_save);
  void saved() { since_save_.restart(); }

  // COLLECTIVE: after a meeting whose control values had a request.
  Agreed agree();

 private:
  bool asked_to_stop() const { return source_.requested != nullptr && source_.requested->load(); }
  bool time_to_save() const;
  bool time_is_up() const;

  Communicator& world_;
  StopSource source_;
  Options options_;
  Stopwatch since_save_;
  Stopwatch since_meeting_;
  double longest_between_meetings_ = 0;  // seconds
  double expected_save_ = 0;
};

}  // namespace lockstep
