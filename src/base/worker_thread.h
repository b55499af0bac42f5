#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

namespace lockstep {

// A thread that runs operations one after the other, in the order they were added. The communication thread and the
// checkpoint's writer are made of it.
//
// Threads: add(), run(), wait(), wait_for(), keep_while_busy() from one at a time; drop() from any.
// The destructor drops what is queued and joins the thread if the current operation ends within a second; otherwise it
// detaches the thread, which then owns what it works on.
class WorkerThread {
 public:
  using Operation = std::function<void()>;

  WorkerThread();
  ~WorkerThread();
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  // Returns the operation's number, from 1. Throws what an earlier one threw, or Error(internal) after drop().
  std::uint64_t add(Operation operation);

  // Returns when operation `number` and all before it are done; throws what one of them threw, or Error(internal) if
  // they were dropped. 0: nothing to wait for.
  void wait(std::uint64_t number);
  // Waits at most this long. Returns whether the operations are done; throws as wait() does.
  bool wait_for(std::uint64_t number, std::chrono::milliseconds time);

  // Adds and waits.
  void run(Operation operation) { wait(add(std::move(operation))); }

  // Drops the operations that have not begun; no others begin after it.
  void drop() noexcept;

  // Destroys `memory` as soon as no operation is queued or running: now, or after the last one.
  void keep_while_busy(std::shared_ptr<void> memory);

 private:
  struct State;
  static void work(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;  // shared with the thread, which may outlive the queue
  std::thread thread_;
};

}  // namespace lockstep
