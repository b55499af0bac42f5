#include "tensor/cuda/uploaded_lists.h"

#include <doctest/doctest.h>

#include <future>
#include <numeric>
#include <set>
#include <vector>

#include "support/gpu/fake_stream.h"

namespace lockstep {
namespace {

using List = std::vector<std::int64_t>;

// A GPU's stream that can be held up.
struct Upload {
  CudaAllocator allocator{0};
  PinnedAllocator pinned{0};
  GpuStream stream = create_stream();
  UploadedLists lists{allocator, pinned};
  std::promise<void> start;
  bool started = true;

  ~Upload() {
    go_on();
    synchronize_stream(stream);
    destroy_stream(stream);
  }
  void stand_still() {
    started = false;
    gpu_stand_in::submit(stream, [until = start.get_future().share()] { until.wait(); });
  }
  void go_on() {
    if (!started) start.set_value();
    started = true;
  }
  const std::int64_t* upload(const List& list) { return lists.upload(std::span(list), stream); }
  // Reads the list there as work of the stream, in place of a kernel.
  void read(const std::int64_t* there, List& to) {
    copy_on_stream(to.data(), there, to.size() * sizeof(to[0]), stream);
  }
};

List numbers(std::size_t count, std::int64_t first) {
  List list(count);
  std::iota(list.begin(), list.end(), first);
  return list;
}

TEST_CASE("uploaded lists reach the GPU after the caller has reused its memory, without a wait") {
  Upload gpu;
  gpu.stand_still();
  std::vector<List> seen;
  for (std::size_t i = 0; i < UploadedLists::kLists; ++i) seen.emplace_back(i + 1);
  List list;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    list = numbers(i + 1, static_cast<std::int64_t>(100 * i));
    gpu.read(gpu.upload(list), seen[i]);
  }
  gpu.go_on();
  synchronize_stream(gpu.stream);
  for (std::size_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == numbers(i + 1, static_cast<std::int64_t>(100 * i)));
}

TEST_CASE("more lists than there are places for, of sizes that grow and shrink, are all read as they were") {
  Upload gpu;
  std::vector<List> seen;
  for (std::size_t i = 0; i < 4 * UploadedLists::kLists; ++i) seen.emplace_back(i * 37 % 1000 + 1);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    gpu.read(gpu.upload(numbers(seen[i].size(), static_cast<std::int64_t>(i))), seen[i]);
  }
  synchronize_stream(gpu.stream);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    CHECK(seen[i] == numbers(seen[i].size(), static_cast<std::int64_t>(i)));
  }
}

TEST_CASE("a list that is there already keeps its place, which others do not get while it is used") {
  Upload gpu;
  const List often = numbers(50, 7);
  const std::int64_t* const place = gpu.upload(often);
  std::set<const std::int64_t*> others;
  for (std::int64_t i = 0; i < 3 * static_cast<std::int64_t>(UploadedLists::kLists); ++i) {
    others.insert(gpu.upload(numbers(50, 100 + i)));
    CHECK(gpu.upload(often) == place);
  }
  CHECK(others.size() == UploadedLists::kLists - 1);
  CHECK(!others.contains(place));
  CHECK(gpu.upload(numbers(49, 7)) != place);
  CHECK(gpu.upload({}) == nullptr);
}

}  // namespace
}  // namespace lockstep
