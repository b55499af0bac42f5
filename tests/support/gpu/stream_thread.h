#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "support/gpu/fake_graph.h"

// Building blocks of the fake runtime's (fake_runtime.cc) streams and events.
namespace lockstep::gpu_stand_in {

// An event: the number of times it was recorded, and how many of these moments have passed.
struct FakeEvent {
  std::mutex mutex;
  std::condition_variable changed;
  std::int64_t recorded = 0;
  std::int64_t passed = 0;
  CaptureMoment captured;  // its last place in a capture

  std::int64_t record() {
    const std::lock_guard lock(mutex);
    return ++recorded;
  }
  std::int64_t last() {
    const std::lock_guard lock(mutex);
    return recorded;
  }
  void pass(std::int64_t number) {
    const std::lock_guard lock(mutex);
    passed = std::max(passed, number);
    changed.notify_all();
  }
  void wait(std::int64_t number) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return passed >= number; });
  }
};

// A stream: a thread that does its work in the order of submission.
class FakeStream {
 public:
  explicit FakeStream(int gpu) : gpu_(gpu), thread_([this](const std::stop_token& stop) { run(stop); }) {}

  int gpu() const { return gpu_; }

  CaptureMoment captured;  // its place in a capture

  void submit(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    ++submitted_;
    changed_.notify_all();
  }

  void synchronize() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&, until = submitted_] { return done_ >= until; });
  }

  // Returns the exception that work has thrown, once.
  std::exception_ptr take_failure() {
    const std::lock_guard lock(mutex_);
    return std::exchange(failure_, nullptr);
  }

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !queue_.empty(); })) {
      const std::function<void()> work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      std::exception_ptr failure;
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure) failure_ = failure;
      ++done_;
      changed_.notify_all();
    }
  }

  int gpu_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> queue_;
  std::int64_t submitted_ = 0;
  std::int64_t done_ = 0;
  std::exception_ptr failure_;
  std::jthread thread_;  // last, because it uses the other members until it ends
};

}  // namespace lockstep::gpu_stand_in
