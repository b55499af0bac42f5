#include "support/gpu/fake_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <utility>

#include "tensor/device_error.h"

namespace lockstep::gpu_stand_in {

void refuse(const std::string& name, const std::string& text) {
  throw DeviceError(fmt::format("cudaError{}: {}", name, text));
}

bool FakeGraph::has_shape_of(const FakeGraph& other) const {
  return std::ranges::equal(operations_, other.operations_, {}, &Operation::after, &Operation::after);
}

void FakeGraph::run() const {
  std::vector<std::size_t> missing(operations_.size());
  std::vector<std::vector<std::size_t>> followers(operations_.size());
  std::priority_queue<std::size_t> next;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    missing[i] = operations_[i].after.size();
    for (const std::size_t before : operations_[i].after) followers[before].push_back(i);
    if (missing[i] == 0) next.push(i);
  }
  while (!next.empty()) {
    const std::size_t number = next.top();
    next.pop();
    operations_[number].work();
    for (const std::size_t follower : followers[number]) {
      if (--missing[follower] == 0) next.push(follower);
    }
  }
}

void Capture::add(std::function<void()> work, std::vector<std::size_t>& after) {
  check();
  operations_.push_back({std::move(work), std::exchange(after, {operations_.size()})});
}

void Capture::invalidate(const std::string& why) {
  if (invalid_.empty()) invalid_ = why;
}

void Capture::check() const {
  if (invalid_.empty()) return;
  refuse("StreamCaptureInvalidated", "operation failed due to a previous error during capture: " + invalid_);
}

std::shared_ptr<const FakeGraph> Capture::take_graph(const std::vector<std::size_t>& last) {
  const std::vector<FakeGraph::Operation> operations = std::exchange(operations_, {});
  check();
  std::vector<bool> joined(operations.size(), false);
  for (const std::size_t number : last) joined[number] = true;
  for (std::size_t i = operations.size(); i-- > 0;) {
    if (!joined[i]) refuse("StreamCaptureUnjoined", "capturing stream has unjoined work");
    for (const std::size_t before : operations[i].after) joined[before] = true;
  }
  return std::make_shared<const FakeGraph>(operations);
}

void CaptureMoment::join(const CaptureMoment& other) {
  after.insert(after.end(), other.after.begin(), other.after.end());
  std::ranges::sort(after);
  const auto repeated = std::ranges::unique(after);
  after.erase(repeated.begin(), repeated.end());
}

}  // namespace lockstep::gpu_stand_in
