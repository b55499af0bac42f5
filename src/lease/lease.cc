#include "lease/lease.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <system_error>

#include "base/error.h"
#include "lease/rules.h"

namespace lockstep {
namespace {

constexpr std::chrono::milliseconds kPoll{500};
constexpr std::chrono::milliseconds kSettle{500};  // time for a simultaneous take-over by another host to show

double seconds(std::chrono::milliseconds time) { return std::chrono::duration<double>(time).count(); }

Error in_use(const std::string& folder, const std::string& path, const LeaseRecord& holder, const LeaseRules& rules) {
  const std::string who = rules.same_job(holder)
                              ? fmt::format("an earlier start of this very job, {}, still after {} minutes of waiting",
                                            describe(holder), kLongestWait.count())
                              : describe(holder);
  return Error(ExitCode::configuration,
               fmt::format("--output_dir {} is in use by {}: its last heartbeat came {:.1f} s ago; give another "
                           "--output_dir or wait until that job has ended, and if you are sure that it has, remove {}",
                           folder, who, seconds(rules.silence()), path));
}

}  // namespace

std::unique_ptr<Lease> Lease::acquire(const Options& options, LeaseClock& clock) {
  std::unique_ptr<Lease> lease(new Lease(options, clock));
  lease->wait_for_it();
  lease->start();
  return lease;
}

void Lease::wait_for_it() {
  LeaseRules rules(options_.mine);
  std::string waits_for;  // token
  while (true) {
    const std::optional<std::string> text = file_.text();
    if (!text) {
      if (file_.create()) return;
      continue;  // another process was faster
    }
    const LeaseRecord holder = holder_of(*text);
    const bool gone = rules.same_place(holder) && process_is_gone(holder);
    const LeaseRules::Decision decision = rules.look(holder, gone, clock_.now());
    if (decision == LeaseRules::Decision::give_up) throw in_use(options_.folder, file_.path(), holder, rules);
    if (decision == LeaseRules::Decision::take_over && file_.replace(*text)) {
      clock_.sleep(kSettle, {});
      if (file_.owner() != LeaseFile::Owner::mine) continue;
      former_step_ = holder.step;
      if (options_.log == nullptr) return;
      options_.log->info("took --output_dir {} over from {}: {}", options_.folder, describe(holder),
                         gone ? std::string("its process is gone")
                              : fmt::format("no heartbeat for {:.0f} s", seconds(rules.silence())));
      return;
    }
    if (waits_for != holder.token && options_.log != nullptr) {
      options_.log->info("--output_dir {1} is in use by {0}: waiting to see whether it ends (heartbeat {3} in {2})",
                         describe(holder), options_.folder, file_.path(), holder.heartbeat);
    }
    waits_for = holder.token;
    clock_.sleep(kPoll, {});
  }
}

void Lease::start() {
  file_.remove_leftovers();
  heartbeat_ = std::jthread([this](const std::stop_token& released) { beat_until(released); });
}

Lease::~Lease() { release(); }

void Lease::release() {
  if (!heartbeat_.joinable()) return;  // never held, or released
  heartbeat_.request_stop();
  heartbeat_.join();
  if (!lost()) file_.remove();
}

void Lease::check() const {
  // A lost lease stays lost: the other process may have ended since, and removed its file.
  const LeaseFile::Owner owner = file_.owner();
  if (!lost() && (owner == LeaseFile::Owner::mine || owner == LeaseFile::Owner::unclear)) return;
  lost_ = true;
  const std::optional<std::string> text = file_.text();
  const std::string what = text ? fmt::format("was taken over by {}", describe(holder_of(*text)))
                                : fmt::format("was let go by the removal of {}", file_.path());
  throw Error(ExitCode::configuration,
              fmt::format("--output_dir {} {}, so this job writes nothing more there and ends; it was stopped for "
                          "longer than {} s, or its disk did not take its heartbeats, or somebody removed the file. "
                          "What it saved until then is whole: the other job resumes from it",
                          options_.folder, what, kSilence.count()));
}

void Lease::beat_until(const std::stop_token& released) {
  bool warned = false;
  for (std::int64_t heartbeat = 1;; ++heartbeat) {
    clock_.sleep(kHeartbeat, released);
    if (released.stop_requested()) return;
    const LeaseFile::Owner owner = file_.owner();
    if (owner == LeaseFile::Owner::other || owner == LeaseFile::Owner::nobody) {
      lost_ = true;
      return;
    }
    const int failure = file_.beat(heartbeat, options_.step ? options_.step() : 0);
    if (failure != 0 && !warned && options_.log != nullptr) {
      options_.log->warning(
          "cannot write the heartbeat into {}: {}; tried again every {} s, but after {} s without one "
          "another job may take this --output_dir over",
          file_.path(), std::generic_category().message(failure), kHeartbeat.count(), kSilence.count());
    }
    warned = failure != 0;
  }
}

}  // namespace lockstep
