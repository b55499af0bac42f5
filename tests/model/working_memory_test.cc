#include "model/working_memory.h"

#include <doctest/doctest.h>

#include "support/counting_backend.h"

namespace lockstep {
namespace {

Tensor take(WorkingMemory& memory, Backend& backend, std::int64_t floats) {
  return memory.take(backend, DType::float32, {floats});
}

}  // namespace

TEST_CASE("working memory: what a frame took is there again for the next one, and what is in use at once is apart") {
  CountingBackend backend;
  WorkingMemory memory;
  const WorkingMemory::Frame all(&memory);
  const Tensor kept = take(memory, backend, 3);
  void* first = nullptr;
  {
    const WorkingMemory::Frame frame(&memory);
    first = take(memory, backend, 16).data();
    CHECK(first != kept.data());
    CHECK(take(memory, backend, 16).data() != first);
  }
  const WorkingMemory::Frame frame(&memory);
  CHECK(take(memory, backend, 16).data() == first);
}

TEST_CASE("working memory: it is as large as the most that was in use at once, and grows no more") {
  CountingBackend backend;
  WorkingMemory memory;
  const auto pass = [&](std::int64_t rows) {
    const WorkingMemory::Frame all(&memory);
    take(memory, backend, 16 * rows);
    for (const std::int64_t width : {16, 64, 32}) {
      const WorkingMemory::Frame frame(&memory);
      take(memory, backend, width * rows);
      take(memory, backend, width * rows);
    }
  };
  pass(10);
  pass(10);
  CHECK(backend.in_use() == (16 + 2 * 64) * 10 * 4);
  const std::int64_t allocations = backend.allocations();
  for (const std::int64_t rows : {10, 7, 0, 10}) pass(rows);
  CHECK(backend.allocations() == allocations);
  pass(20);
  pass(20);
  CHECK(backend.in_use() == (16 + 2 * 64) * 20 * 4);
}

TEST_CASE("working memory: a frame of none does nothing") { const WorkingMemory::Frame frame(nullptr); }

}  // namespace lockstep
