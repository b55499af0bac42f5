#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/trace.h"
#include "tensor/cuda/gpu_runtime.h"

namespace lockstep {

// A stream's operations that may not be done. Each is marked in the Trace until it is, and until then a thread checks
// now and then that all is well: the rank's own thread may be waiting for the GPU, and would never learn that an
// operation cannot end. Operations that become part of a graph are marked until the whole graph is done, since an event
// of a graph cannot be queried.
//
// One thread at a time; the constructor and the destructor may run on others.
class NcclOperations {
 public:
  // healthy: called by the thread while operations are under way; once it returns false, the thread ends. drive, if not
  // empty: called in the same way, about every millisecond (MpiSession::driver()).
  NcclOperations(int gpu, GpuStream stream, std::function<bool()> healthy, std::function<void()> drive);
  ~NcclOperations();  // local; marks end here, whatever becomes of the operations
  NcclOperations(const NcclOperations&) = delete;
  NcclOperations& operator=(const NcclOperations&) = delete;

  // Adds the operation that the stream was given last. Returns its number, above 0.
  std::uint64_t add(Trace::OperationScope mark);
  // An event that passes when the operation is done, or later: there are kEvents of them, used in turn. REQUIRES: add()
  // gave number.
  Event event(std::uint64_t number) const { return events_[number % events_.size()]; }

  // True if the operation added last is the first one of a graph: end_graph() must be called when that has been
  // launched or dropped, and the stream has been made to wait for it.
  bool first_of_graph() const { return in_graph_.size() == 1; }
  void end_graph();

 private:
  static constexpr std::size_t kEvents = 256;
  static constexpr std::size_t kGraphEvents = 4;  // more than there are graphs under way

  struct UnderWay {
    Event event;
    std::vector<Trace::OperationScope> marks;  // those of a graph, or one
  };

  void watch(Event event, std::vector<Trace::OperationScope> marks);
  void look(const std::stop_token& stop);

  int gpu_;
  GpuStream stream_;
  std::function<bool()> healthy_;
  std::function<void()> drive_;
  // Made when first used. Numbers of operations in graphs are odd, those of others even: the thread never queries an
  // event of a graph.
  std::array<Event, 2 * kEvents> events_{};
  std::array<std::uint64_t, 2> last_number_{0, 1};
  std::vector<Trace::OperationScope> in_graph_;     // marks of the operations that are part of one
  std::array<Event, kGraphEvents> graph_events_{};  // recorded after graphs; used in turn
  std::size_t graphs_ = 0;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<UnderWay> under_way_;  // guarded by mutex_
  std::jthread thread_;             // last: it uses the others until it has ended
};

}  // namespace lockstep
