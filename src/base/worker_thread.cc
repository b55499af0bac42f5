#include "base/worker_thread.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "base/cpu_affinity.h"
#include "base/error.h"

namespace lockstep {
namespace {

// Time that the destructor waits for the current operation before it detaches the thread.
constexpr std::chrono::seconds kPatience{1};

}  // namespace

struct WorkerThread::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Operation> queue;
  std::uint64_t added = 0;
  std::uint64_t done = 0;  // operations 1 .. done have ended well
  bool working = false;
  bool dropped = false;
  bool ended = false;  // the thread has ended
  std::exception_ptr failure;
  std::vector<std::shared_ptr<void>> kept;

  bool busy() const { return working || !queue.empty(); }
};

WorkerThread::WorkerThread() : state_(std::make_shared<State>()), thread_([state = state_] { work(state); }) {}

WorkerThread::~WorkerThread() {
  drop();
  std::unique_lock lock(state_->mutex);
  const bool ended = state_->changed.wait_for(lock, kPatience, [this] { return state_->ended; });
  lock.unlock();
  if (ended) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

std::uint64_t WorkerThread::add(Operation operation) {
  const std::scoped_lock lock(state_->mutex);
  if (state_->failure) std::rethrow_exception(state_->failure);
  LS_CHECK(!state_->dropped, "this rank has given up its communicator");
  state_->queue.push_back(std::move(operation));
  state_->changed.notify_all();
  return ++state_->added;
}

void WorkerThread::wait(std::uint64_t number) {
  std::unique_lock lock(state_->mutex);
  LS_CHECK(number <= state_->added, "a ticket of another communicator");
  state_->changed.wait(lock, [&] { return state_->done >= number || state_->failure || state_->ended; });
  if (state_->done >= number) return;
  if (state_->failure) std::rethrow_exception(state_->failure);
  LS_CHECK(false, "this rank has given up its communicator");
}

bool WorkerThread::wait_for(std::uint64_t number, std::chrono::milliseconds time) {
  {
    std::unique_lock lock(state_->mutex);
    const auto over = [&] { return state_->done >= number || state_->failure || state_->ended; };
    if (!state_->changed.wait_for(lock, time, over)) return false;
  }
  wait(number);
  return true;
}

void WorkerThread::drop() noexcept {
  std::deque<Operation> dropped;  // destroyed without the lock
  const std::scoped_lock lock(state_->mutex);
  state_->dropped = true;
  dropped.swap(state_->queue);
  state_->changed.notify_all();
}

void WorkerThread::keep_while_busy(std::shared_ptr<void> memory) {
  const std::scoped_lock lock(state_->mutex);
  if (state_->busy()) state_->kept.push_back(std::move(memory));
}

void WorkerThread::work(const std::shared_ptr<State>& state) {
  allow_all_cores();
  std::unique_lock lock(state->mutex);
  while (true) {
    state->changed.wait(lock, [&] { return state->dropped || !state->queue.empty(); });
    if (state->dropped) break;
    Operation operation = std::exchange(state->queue.front(), nullptr);
    state->queue.pop_front();
    state->working = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      operation();
    } catch (...) {
      failure = std::current_exception();
    }
    operation = nullptr;  // destroys what it holds before it is reported as done
    lock.lock();
    state->working = false;
    if (failure) {
      state->failure = failure;
      state->queue.clear();
    } else {
      ++state->done;
    }
    if (!state->busy()) state->kept.clear();
    state->changed.notify_all();
  }
  state->ended = true;
  state->changed.notify_all();
}

}  // namespace lockstep
