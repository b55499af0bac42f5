#include "lease/rules.h"

#include <algorithm>

namespace lockstep {

LeaseRules::Decision LeaseRules::look(const LeaseRecord& found, bool process_gone, std::chrono::milliseconds now) {
  observe(found, now);
  if (process_gone && same_place(found)) return Decision::take_over;
  if (silence_ >= kSilence) return Decision::take_over;
  if (now - first_look_ >= kLongestWait) return Decision::give_up;
  if (same_job(found)) return Decision::wait;
  return beats_ >= 2 ? Decision::give_up : Decision::wait;
}

void LeaseRules::observe(const LeaseRecord& found, std::chrono::milliseconds now) {
  if (!seen_) first_look_ = last_look_ = now;
  silence_ += std::min<std::chrono::milliseconds>(now - last_look_, kHeartbeat);
  last_look_ = now;
  if (!seen_ || seen_->token != found.token) {
    beats_ = 0;
    silence_ = {};
  } else if (seen_->heartbeat != found.heartbeat) {
    ++beats_;
    silence_ = {};
  }
  seen_ = found;
}

bool LeaseRules::same_place(const LeaseRecord& found) const {
  if (mine_.boot_id.empty() || mine_.pid_namespace.empty()) return false;
  return found.host == mine_.host && found.boot_id == mine_.boot_id && found.pid_namespace == mine_.pid_namespace;
}

bool LeaseRules::same_job(const LeaseRecord& found) const {
  return !mine_.job_id.empty() && found.job_id == mine_.job_id;
}

}  // namespace lockstep
