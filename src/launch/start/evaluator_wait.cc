#include "launch/start/evaluator_wait.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>

#include "base/counted.h"

namespace lockstep {

EvaluatorWait::EvaluatorWait(std::optional<double> timeout_s, const std::string& lease_folder) {
  constexpr double kMinute = 60;
  patience_ = timeout_s ? fmt::format("up to {} (--eval_timeout_mins)",
                                      counted(static_cast<std::int64_t>(*timeout_s / kMinute), "minute"))
                        : "for as long as it takes";
  if (!lease_folder.empty()) heartbeat_.emplace(lease_folder);
}

void EvaluatorWait::look(Log& log) {
  constexpr double kEvery = 1;  // second: the file may lie on a network's disk
  if (!since_begin_) {
    log.info("waiting for the evaluator, {}", patience_);
    since_begin_.emplace();
  }
  const double now = since_begin_->seconds();
  if (!heartbeat_ || now < looked_at_ + kEvery) return;
  looked_at_ = now;
  const auto time = std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * now));
  if (const auto news = heartbeat_->look(time)) log.warning("waiting for the evaluator: {}", *news);
}

}  // namespace lockstep
