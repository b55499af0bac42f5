#include "collective/watch/watchdog.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "base/cpu_affinity.h"

namespace lockstep {
namespace {

constexpr int kOperationsShown = 8;

std::int64_t ticks_in(double seconds, std::chrono::milliseconds tick) {
  return std::max<std::int64_t>(1, std::llround(std::ceil(seconds * 1e3 / static_cast<double>(tick.count()))));
}

void write_to_stderr(const std::string& text) {
  [[maybe_unused]] const auto written =
      write(STDERR_FILENO, text.data(), text.size());  // one write: lines stay together
}

}  // namespace

bool HangDetector::tick(const RankStatus& mine, std::span<const RankStatus> ranks) {
  if (!mine.waiting() || mine.sequence != sequence_) {
    sequence_ = mine.sequence;
    waited_ = 0;
    return false;
  }
  const bool long_wait = std::ranges::any_of(ranks, [&mine](const RankStatus& status) {
    return long_phase(status.phase) && (status.rank == mine.rank || missing(status, mine));
  });
  const std::int64_t before = std::exchange(waited_, waited_ + (long_wait ? 1 : kWeight));
  return before < patience_ && waited_ >= patience_;
}

bool LateDetector::tick(const RankStatus& mine) {
  if (mine.waiting() || mine.step != step_ || mine.sequence != sequence_) {
    step_ = mine.step;
    sequence_ = mine.sequence;
    stood_ = 0;
    return false;
  }
  const std::int64_t before = std::exchange(stood_, stood_ + (long_phase(mine.phase) ? 1 : kWeight));
  return before < patience_ && stood_ >= patience_;
}

Watchdog::Watchdog(NodePage& page, int line, const Trace& trace, WatchdogOptions options, std::function<void()> on_hang)
    : page_(page), line_(page.line(line)), trace_(trace), options_(std::move(options)), on_hang_(std::move(on_hang)) {
  if (!options_.print) options_.print = write_to_stderr;
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Watchdog::run(const std::stop_token& stop) {
  allow_all_cores();
  const std::int64_t patience = ticks_in(options_.hang_timeout_s, options_.tick);
  HangDetector hang(patience);
  LateDetector late(patience);
  while (sleep_for(options_.tick, stop)) look(hang, late, stop);
}

void Watchdog::look(HangDetector& hang, LateDetector& late, const std::stop_token& stop) {
  const std::int64_t now = monotonic_ns();
  line_.alive_ns = now;
  HangFacts facts;
  facts.ranks = read_status(page_.lines(), now);
  const auto mine = std::ranges::find(facts.ranks, line_.rank.load(), &RankStatus::rank);
  if (mine == facts.ranks.end()) return;
  facts.host = options_.host;
  facts.world_size = options_.world_size;
  facts.hang_timeout_s = options_.hang_timeout_s;
  facts.waiter = *mine;

  const bool stands_still = late.tick(*mine);
  if (hang.tick(*mine, facts.ranks)) {
    if (page_.claim_verdict()) {
      facts.last_operations = trace_.last_operations(kOperationsShown);
      options_.print(hang_report(facts));
    }
    if (sleep_for(options_.grace, stop)) on_hang_();
  } else if (stands_still && std::ranges::none_of(facts.ranks, &RankStatus::waiting) && page_.claim_late()) {
    options_.print(late_report(facts));
  }
}

bool Watchdog::sleep_for(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  stopped_.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace lockstep
