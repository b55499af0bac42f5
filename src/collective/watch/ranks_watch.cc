#include "collective/watch/ranks_watch.h"

#include <chrono>
#include <cstddef>
#include <utility>

namespace lockstep {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{250};
constexpr int kLooksLeftBehind = 12;  // 3 s; the ranks of a job leave MPI together, within milliseconds

}  // namespace

RanksWatch::RanksWatch(NodePage& page, Options options) : page_(page), options_(std::move(options)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

bool RanksWatch::has_ended(int rank) const { return options_.processes[static_cast<std::size_t>(rank)]->has_ended(); }

bool RanksWatch::has_any_ended() const {
  for (int rank = 0; rank < std::ssize(options_.processes); ++rank) {
    if (has_ended(rank)) return true;
  }
  return false;
}

void RanksWatch::end_others() const {
  for (int rank = 0; rank < std::ssize(options_.processes); ++rank) {
    if (rank != options_.rank) options_.processes[static_cast<std::size_t>(rank)]->kill();
  }
}

void RanksWatch::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (true) {
    stopped_.wait_for(lock, stop, kBetweenLooks, [] { return false; });
    if (stop.stop_requested()) return;
    look();
  }
}

void RanksWatch::look() {
  for (int rank = 0; rank < std::ssize(options_.processes); ++rank) {
    // The page is read after the process has ended: it may have ended because the job is over.
    if (!has_ended(rank)) continue;
    if (const auto code = page_.code_of_job()) {
      if (++looks_left_behind_ >= kLooksLeftBehind) options_.when_left_behind(*code);
      return;
    }
    if (!apart_ || !options_.can_spare(rank)) options_.when_needed_ended(rank);
  }
}

}  // namespace lockstep
