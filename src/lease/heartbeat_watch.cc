#include "lease/heartbeat_watch.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"

namespace lockstep {

std::optional<std::string> HeartbeatWatch::look(std::chrono::milliseconds now) {
  std::optional<std::string> text;
  try {
    text = file_.text();
  } catch (const Error&) {
    return {};  // the holder reports what is wrong with the disk
  }
  if (!text) return {};
  const LeaseRecord holder = holder_of(*text);
  if (holder.pid == 0) return {};  // not a lease
  rules_.look(holder, false, now);
  const bool other = std::exchange(holder_, holder.token) != holder.token;
  const bool silent = rules_.silence() >= kSilence;
  if (std::exchange(silent_, silent) == silent || other) return {};
  if (!silent) return fmt::format("the heartbeat of {} in {} goes on", describe(holder), file_.path());
  return fmt::format(
      "no heartbeat of {} in {} for {:.0f} s: is the process stopped, or does the disk not take what it writes?",
      describe(holder), file_.path(), std::chrono::duration<double>(rules_.silence()).count());
}

}  // namespace lockstep
