#include "train/step/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lockstep {
namespace {

// A rank's request, as it is exchanged.
struct Vote {
  std::int32_t save = 0;
  std::int32_t stop = 0;
  std::int32_t signal = 0;
  std::array<char, 96> reason{};  // NUL-terminated
};

// Safety factors. A step or a write may take longer than any before it. A rank that finds in the middle of a step that
// the time is not up asks again only in the middle of the next.
constexpr double kStepReserve = 2;
constexpr double kSaveReserve = 1.5;

}  // namespace

Requests::Requests(Communicator& world, StopSource source, const Options& options)
    : world_(world), source_(std::move(source)), options_(options) {}

bool Requests::any() const { return asked_to_stop() || asked_to_save() || time_to_save() || time_is_up(); }

bool Requests::time_to_save() const {
  const bool sooner = evaluation_follows_ && options_.save_time_before_evaluation;
  const auto& time = sooner ? options_.save_time_before_evaluation : options_.save_time;
  return options_.chief && time && since_save_.seconds() >= static_cast<double>(time->count());
}

bool Requests::time_is_up() const {
  if (!options_.chief || !options_.time_limit) return false;
  const double needed = kStepReserve * longest_between_meetings_ + kSaveReserve * expected_save_;
  return source_.since_start.seconds() + needed >=
         static_cast<double>(options_.time_limit.value_or(std::chrono::seconds(0)).count());
}

void Requests::at_meeting(double expected_save) {
  longest_between_meetings_ = std::max(longest_between_meetings_, since_meeting_.seconds());
  since_meeting_.restart();
  expected_save_ = expected_save;
}

Requests::Agreed Requests::agree() {
  Vote mine;
  const std::int64_t asked = save_requests();  // read once: a request that comes now belongs to the next step
  mine.save = (options_.chief && asked != granted_) || time_to_save() ? 1 : 0;
  granted_ = asked;
  if (asked_to_stop() || time_is_up()) {
    mine.stop = 1;
    const std::string reason = asked_to_stop()
                                   ? (source_.reason ? source_.reason() : "a request")
                                   : fmt::format("--stop_after={}s, which is nearly reached",
                                                 options_.time_limit.value_or(std::chrono::seconds(0)).count());
    if (asked_to_stop() && source_.signal) mine.signal = source_.signal();
    reason.copy(mine.reason.data(), mine.reason.size() - 1);
  }
  Agreed agreed;
  const std::vector<Vote> all = all_gather_value(world_, mine);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    agreed.save |= all[rank].save != 0;
    if (all[rank].stop == 0 || agreed.stop) continue;
    agreed.signal = all[rank].signal;
    agreed.stop =
        fmt::format("{}{}", all[rank].reason.data(), all.size() > 1 ? fmt::format(", seen by rank {}", rank) : "");
  }
  return agreed;
}

}  // namespace lockstep
