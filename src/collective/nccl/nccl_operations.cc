#include "collective/nccl/nccl_operations.h"

#include <chrono>
#include <span>
#include <utility>

#include "base/cpu_affinity.h"
#include "base/error.h"

namespace lockstep {
namespace {

// Hang verdicts count tenths of seconds.
constexpr std::chrono::milliseconds kBetweenLooks{20};
// The GPU may wait for a rank that waits for a message of this rank's.
constexpr std::chrono::milliseconds kBetweenDrives{1};

}  // namespace

NcclOperations::NcclOperations(int gpu, GpuStream stream, std::function<bool()> healthy, std::function<void()> drive)
    : gpu_(gpu),
      stream_(stream),
      healthy_(std::move(healthy)),
      drive_(std::move(drive)),
      thread_([this](const std::stop_token& stop) { look(stop); }) {}

NcclOperations::~NcclOperations() {
  thread_.request_stop();
  thread_.join();
  for (const auto& events : {std::span<const Event>(events_), std::span<const Event>(graph_events_)}) {
    for (const Event event : events) {
      if (event.handle != nullptr) destroy_event(event);
    }
  }
}

std::uint64_t NcclOperations::add(Trace::OperationScope mark) {
  const bool in_graph = is_capturing(stream_);
  const std::uint64_t number = last_number_[in_graph ? 1 : 0] += 2;
  Event& event = events_[number % events_.size()];
  if (event.handle == nullptr) event = create_event();
  if (in_graph) {
    record_event(event, stream_);
    in_graph_.push_back(std::move(mark));
    return number;
  }
  std::vector<Trace::OperationScope> marks;
  marks.push_back(std::move(mark));
  watch(event, std::move(marks));
  return number;
}

void NcclOperations::end_graph() {
  Event& event = graph_events_[graphs_++ % kGraphEvents];
  if (event.handle == nullptr) event = create_event();
  watch(event, std::exchange(in_graph_, {}));
}

// Records the event under the lock, because the thread may be querying it.
void NcclOperations::watch(Event event, std::vector<Trace::OperationScope> marks) {
  const std::scoped_lock lock(mutex_);
  record_event(event, stream_);
  under_way_.push_back({event, std::move(marks)});
  changed_.notify_one();
}

void NcclOperations::look(const std::stop_token& stop) {
  allow_all_cores();
  try {
    select_gpu(gpu_);
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !under_way_.empty(); })) {
      while (!under_way_.empty() && has_passed(under_way_.front().event)) under_way_.pop_front();
      lock.unlock();
      const bool well = healthy_();
      if (drive_) drive_();
      lock.lock();
      if (!well) return;
      if (!under_way_.empty())
        changed_.wait_for(lock, stop, drive_ ? kBetweenDrives : kBetweenLooks, [] { return false; });
    }
  } catch (
      const Error&) {  // NOLINT(bugprone-empty-catch): GPU or network are lost, as the rank's own next call will say
  }
}

}  // namespace lockstep
