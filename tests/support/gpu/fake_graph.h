#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

// Graphs of the fake runtime, by CUDA's rules of stream capture.
namespace lockstep::gpu_stand_in {

// Operations, each with the numbers of those that it comes after.
class FakeGraph {
 public:
  struct Operation {
    std::function<void()> work;
    std::vector<std::size_t> after;
  };

  explicit FakeGraph(std::vector<Operation> operations) : operations_(std::move(operations)) {}

  // Whether they differ in what the operations do alone.
  bool has_shape_of(const FakeGraph& other) const;
  // Of those that may come next, the one that was captured last: what does not wait for another one that it needs comes
  // before it.
  void run() const;

 private:
  std::vector<Operation> operations_;
};

// An operation that CUDA refuses, with its name and text of the error.
[[noreturn]] void refuse(const std::string& name, const std::string& text);

// Streams that put what they take into a graph. Not thread-safe.
class Capture {
 public:
  explicit Capture(const void* origin) : origin_(origin) {}

  const void* origin() const { return origin_; }
  std::thread::id thread() const { return thread_; }

  // A stream's next operation. after: those that it comes after; then it alone.
  void add(std::function<void()> work, std::vector<std::size_t>& after);

  // From here on all of it is refused.
  void invalidate(const std::string& why);
  void check() const;

  bool ended() const { return ended_; }
  void end() { ended_ = true; }
  // The graph, if the stream where it began comes after all of it. What was captured is gone after it, graph or not.
  std::shared_ptr<const FakeGraph> take_graph(const std::vector<std::size_t>& last);

 private:
  const void* origin_;
  std::thread::id thread_ = std::this_thread::get_id();
  std::vector<FakeGraph::Operation> operations_;
  std::string invalid_;  // why; "": it is not
  bool ended_ = false;
};

// Where a stream is in a capture, or where it was when an event was recorded. No capture: none.
struct CaptureMoment {
  std::shared_ptr<Capture> capture;
  std::vector<std::size_t> after;  // operations that have been captured before, the last of each line

  // Also after what `other` is after.
  void join(const CaptureMoment& other);
};

}  // namespace lockstep::gpu_stand_in
