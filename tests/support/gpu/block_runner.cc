#include "support/gpu/block_runner.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/gpu/fiber.h"

namespace lockstep::gpu_stand_in {

Index threadIdx;
Index blockIdx;
Index blockDim;
Index gridDim;

namespace {

enum class State { fresh, runnable, at_block_meeting, at_warp_meeting, returned };

struct Thread {
  State state = State::fresh;
  std::unique_ptr<Fiber> fiber;  // null before its first turn and after its last
  std::source_location place;    // of the meeting at which it waits
  int turn = 0;
};

std::string text(const std::source_location& place) { return fmt::format("{}:{}", place.file_name(), place.line()); }

[[noreturn]] void wrong_meeting(std::size_t waiting, const Thread& there, std::size_t other, const Thread& elsewhere) {
  throw Error(
      ExitCode::internal,
      fmt::format("block {}: thread {} waits at {}, and thread {} {}", blockIdx.x, waiting, text(there.place), other,
                  elsewhere.state == State::returned ? "has returned" : "waits at " + text(elsewhere.place)));
}

class BlockRunner {
 public:
  void run(std::size_t threads, ThreadOrder order, const std::function<void()>& thread) {
    thread_ = &thread;
    threads_.clear();
    threads_.resize(threads);
    slots_.resize(threads);
    while (run_turns(order)) {
      if (!release_warps()) release_block();
    }
  }

  Thread& running() { return threads_[threadIdx.x]; }
  unsigned char* slot(std::size_t lane, int turn) {
    const std::size_t first = threadIdx.x / kLanes * kLanes;
    return slots_[first + lane][static_cast<std::size_t>(turn)].data();
  }

 private:
  // Gives each thread that does not wait a turn. Returns whether any thread has not returned yet.
  bool run_turns(ThreadOrder order) {
    bool left = false;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      const std::size_t number = order == ThreadOrder::ascending ? i : threads_.size() - 1 - i;
      Thread& thread = threads_[number];
      if (thread.state == State::fresh || thread.state == State::runnable) take_turn(thread, number);
      left |= thread.state != State::returned;
    }
    return left;
  }

  void take_turn(Thread& thread, std::size_t number) {
    if (thread.state == State::fresh) {
      if (idle_.empty()) idle_.push_back(std::make_unique<Fiber>());
      thread.fiber = std::move(idle_.back());
      idle_.pop_back();
      thread.fiber->start([](void* kernel) { (*static_cast<const std::function<void()>*>(kernel))(); },
                          const_cast<std::function<void()>*>(thread_));
    }
    threadIdx.x = static_cast<unsigned>(number);
    if (thread.fiber->resume()) return;
    thread.state = State::returned;
    idle_.push_back(std::move(thread.fiber));
  }

  // Returns whether any warp can continue.
  bool release_warps() {
    bool released = false;
    for (std::size_t first = 0; first < threads_.size(); first += kLanes) {
      released |= release(first, first + kLanes, State::at_warp_meeting);
    }
    return released;
  }

  void release_block() {
    if (release(0, threads_.size(), State::at_block_meeting)) return;
    for (const Thread& thread : threads_) LS_CHECK(thread.state == State::returned, "threads that nobody waits for");
  }

  // Lets threads [begin, end) continue if one of them waits at such a meeting; then all have to wait at the same one.
  bool release(std::size_t begin, std::size_t end, State meeting) {
    std::size_t waiting = begin;
    while (waiting < end && threads_[waiting].state != meeting) ++waiting;
    if (waiting == end) return false;
    const Thread& there = threads_[waiting];
    for (std::size_t i = begin; i < end; ++i) {
      const Thread& thread = threads_[i];
      if (thread.state != meeting || thread.place.line() != there.place.line())
        wrong_meeting(waiting, there, i, thread);
    }
    for (std::size_t i = begin; i < end; ++i) threads_[i].state = State::runnable;
    return true;
  }

  const std::function<void()>* thread_ = nullptr;
  std::vector<Thread> threads_;
  std::vector<std::array<std::array<unsigned char, kSlotBytes>, 2>> slots_;  // per thread, two used alternately
  std::vector<std::unique_ptr<Fiber>> idle_;
};

// Global state, as the registers and shared memory of a GPU belong to the running block.
std::mutex one_grid;
BlockRunner runner;
ThreadOrder next_order = ThreadOrder::ascending;

}  // namespace

void set_thread_order(ThreadOrder order) {
  const std::lock_guard lock(one_grid);
  next_order = order;
}

void run_grid(std::int64_t blocks, int threads, const std::function<void()>& thread) {
  LS_CHECK(threads > 0 && threads % kLanes == 0 && threads <= 1024, "a block of threads that fill no warps");
  const std::lock_guard lock(one_grid);
  blockDim.x = static_cast<unsigned>(threads);
  gridDim.x = static_cast<unsigned>(blocks);
  for (std::int64_t i = 0; i < blocks; ++i) {
    blockIdx.x = static_cast<unsigned>(next_order == ThreadOrder::ascending ? i : blocks - 1 - i);
    runner.run(static_cast<std::size_t>(threads), next_order, thread);
  }
}

void meet_block(std::source_location place) {
  Thread& thread = runner.running();
  thread.state = State::at_block_meeting;
  thread.place = place;
  thread.fiber->suspend();
}

void meet_warp(std::source_location place) {
  Thread& thread = runner.running();
  thread.state = State::at_warp_meeting;
  thread.place = place;
  thread.fiber->suspend();
}

unsigned char* exchange_slot(int lane, int turn) { return runner.slot(static_cast<std::size_t>(lane), turn); }

int next_turn() { return runner.running().turn ^= 1; }

}  // namespace lockstep::gpu_stand_in
