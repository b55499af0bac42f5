#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

// Graphs of the fake runtime, which follow CUDA's rules of stream capture.
namespace lockstep::gpu_stand_in {

// Operations, each with the numbers of those that it has to follow.
class FakeGraph {
 public:
  struct Operation {
    std::function<void()> work;
    std::vector<std::size_t> after;
  };

  explicit FakeGraph(std::vector<Operation> operations) : operations_(std::move(operations)) {}

  // Returns whether the graphs differ only in the work of their operations, not in the order between them.
  bool has_shape_of(const FakeGraph& other) const;
  // Runs all operations; of those that may come next, the one captured last: this exposes an operation that lacks a
  // wait for another one that it needs.
  void run() const;

 private:
  std::vector<Operation> operations_;
};

// Throws CUDA's error of that name and text, for an operation that CUDA refuses.
[[noreturn]] void refuse(const std::string& name, const std::string& text);

// Streams whose operations are put into a graph. Not thread-safe.
class Capture {
 public:
  explicit Capture(const void* origin) : origin_(origin) {}

  const void* origin() const { return origin_; }
  std::thread::id thread() const { return thread_; }

  // Adds a stream's next operation. after: the operations before it; then this one alone.
  void add(std::function<void()> work, std::vector<std::size_t>& after);

  // Makes check() refuse from now on, and with it add() and take_graph(); the first reason stays.
  void invalidate(const std::string& why);
  void check() const;

  bool ended() const { return ended_; }
  void end() { ended_ = true; }
  // Returns the graph if the stream where it began follows all of it, else throws. Either way the captured operations
  // are discarded.
  std::shared_ptr<const FakeGraph> take_graph(const std::vector<std::size_t>& last);

 private:
  const void* origin_;
  std::thread::id thread_ = std::this_thread::get_id();
  std::vector<FakeGraph::Operation> operations_;
  std::string invalid_;  // the reason; "": it is valid
  bool ended_ = false;
};

// Place of a stream in a capture, or its place when an event was recorded. Null capture: none.
struct CaptureMoment {
  std::shared_ptr<Capture> capture;
  std::vector<std::size_t> after;  // the operations captured last, one per branch

  // Adds the operations that `other` has to follow.
  void join(const CaptureMoment& other);
};

}  // namespace lockstep::gpu_stand_in
