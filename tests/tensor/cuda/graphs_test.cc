// Graphs of operations, on a fake and on a real GPU: no operation here depends on the order of a block's threads.
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "tensor/cuda/attention_on_gpu.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

// Pinned memory, which copies in a graph may read and write.
struct Pinned {
  Pinned(Backend& gpu, std::int64_t count)
      : memory(gpu.host_allocator().allocate(static_cast<std::size_t>(count) * sizeof(float))),
        tensor(view(memory, DType::float32, {count})) {}
  Floats values() const { return {tensor.as<float>(), tensor.as<float>() + tensor.count()}; }
  void set(float value) { std::fill_n(tensor.as<float>(), tensor.count(), value); }

  Buffer memory;
  Tensor tensor;
};

TEST_CASE("a graph runs when it is launched, with the numbers and the addresses of its own time") {
  const auto backend = gpu();
  const auto graph = backend->make_graph();
  REQUIRE(graph != nullptr);
  CHECK(graph->made() == 0);
  const OnGpu<float> first(*backend, Host<float>::of({3}, Floats(3, 1)));
  const OnGpu<float> second(*backend, Host<float>::of({3}, Floats(3, 1)));
  for (int i = 1; i <= 4; ++i) {
    const Tensor& values = i % 2 == 0 ? first.tensor : second.tensor;
    graph->begin();
    backend->scale(values, i);
    backend->add(values, values);
    graph->launch();
  }
  CHECK(second.read() == Floats(3, 4 * 1 * 3));
  CHECK(first.read() == Floats(3, 4 * 2 * 4));
  CHECK(graph->made() == 1);

  graph->begin();
  backend->scale(first.tensor, 0.5);  // other operations than before
  graph->launch();
  CHECK(first.read() == Floats(3, 16));
  CHECK(graph->made() == 2);
  graph->begin();
  graph->launch();  // an empty one
  CHECK(first.read() == Floats(3, 16));
}

TEST_CASE("what a graph copies to the host is there after an event that was recorded in it") {
  const auto backend = gpu();
  const auto graph = backend->make_graph();
  const OnGpu<float> values(*backend, Host<float>::of({3}, Floats(3, 0)));
  Pinned from(*backend, 3);
  Pinned to(*backend, 3);
  for (int i = 1; i <= 3; ++i) {
    from.set(static_cast<float>(i));
    graph->begin();
    backend->copy(from.tensor, values.tensor);
    backend->scale(values.tensor, 2);
    backend->copy(values.tensor, to.tensor);
    const Event copied = backend->record();
    graph->launch();
    backend->wait_on_host(copied);
    CHECK(to.values() == Floats(3, static_cast<float>(2 * i)));
  }
}

TEST_CASE("streams that wait for a graph's events are part of it, others wait for its end") {
  const auto backend = gpu();
  const auto beside = gpu();
  const auto graph = backend->make_graph();
  const OnGpu<float> values(*backend, Host<float>::of({3}, Floats(3, 1)));
  for (int i = 1; i <= 3; ++i) {
    graph->begin();
    backend->fill(values.tensor, i);
    beside->wait(backend->record());
    beside->scale(values.tensor, 3);
    backend->wait(beside->record());
    backend->add(values.tensor, values.tensor);
    graph->launch();
    CHECK(values.read() == Floats(3, static_cast<float>(6 * i)));
  }
  graph->begin();
  backend->fill(values.tensor, 5);
  const Event filled = backend->record();
  graph->launch();
  beside->wait(filled);
  beside->scale(values.tensor, 3);
  beside->synchronize();
  CHECK(values.read() == Floats(3, 15));
}

TEST_CASE("memory that is freed while a graph is made is there until it has run") {
  const auto backend = gpu();
  const auto graph = backend->make_graph();
  const OnGpu<float> sums(*backend, Host<float>::of({1000}, Floats(1000, 0)));
  graph->begin();
  for (int i = 1; i <= 20; ++i) {
    const Buffer memory = backend->allocator().allocate(4000);
    const Tensor values = view(memory, DType::float32, {1000});
    backend->fill(values, i);
    backend->add(values, sums.tensor);
  }
  graph->launch();
  CHECK(sums.read() == Floats(1000, 210));
}

TEST_CASE("pinned memory may be freed while a graph is made, by any thread, and its copies work all the same") {
  const auto backend = gpu();
  const auto graph = backend->make_graph();
  const OnGpu<float> sums(*backend, Host<float>::of({3}, Floats(3, 0)));
  const OnGpu<float> values(*backend, Shape{3});
  for (int step = 1; step <= 3; ++step) {
    graph->begin();
    std::optional<Pinned> own(std::in_place, *backend, 3);
    own->set(static_cast<float>(step));
    backend->copy(own->tensor, values.tensor);
    backend->add(values.tensor, sums.tensor);
    own.reset();
    std::thread([&] { const Pinned of_another_thread(*backend, 3); }).join();
    graph->launch();
  }
  CHECK(sums.read() == Floats(3, 6));
}

TEST_CASE("more events than there were before are recorded in a graph, and those of before can be waited for") {
  const auto backend = gpu();
  const auto graph = backend->make_graph();
  const OnGpu<float> values(*backend, Host<float>::of({3}, Floats(3, 0)));
  Event before = backend->record();
  for (int i = 0; i < 4; ++i) {
    graph->begin();
    for (int n = 0; n < 600; ++n) backend->record();
    backend->wait_on_host(before);
    before = backend->record();
    backend->fill(values.tensor, i);
    graph->launch();
    CHECK(values.read() == Floats(3, static_cast<float>(i)));
  }
}

TEST_CASE("a graph that is dropped leaves everything as it was, and the backend works on") {
  const auto backend = gpu();
  const auto graph = backend->make_graph();
  const OnGpu<float> values(*backend, Host<float>::of({3}, Floats(3, 1)));
  int calls = 0;
  graph->begin();
  backend->fill(values.tensor, 2);
  const Event event = backend->record();
  backend->after_graph([&] { ++calls; });
  CHECK(calls == 0);
  backend->drop_graph();
  CHECK(calls == 1);
  backend->wait_on_host(event);
  CHECK(values.read() == Floats(3, 1));
  backend->drop_graph();  // there is no graph
  backend->after_graph([&] { ++calls; });
  CHECK(calls == 2);

  graph->begin();
  backend->scale(values.tensor, 3);
  graph->launch();
  CHECK(values.read() == Floats(3, 3));
}

TEST_CASE("a host that waits while a graph is made is told so, and the graph can be dropped") {
  const auto backend = gpu();
  const auto graph = backend->make_graph();
  const OnGpu<float> values(*backend, Host<float>::of({3}, Floats(3, 1)));
  const auto check_refused = [&](const std::function<void()>& wait) {
    graph->begin();
    backend->fill(values.tensor, 2);
    CHECK_THROWS_AS(wait(), Error);
    CHECK_THROWS_AS(graph->launch(), Error);
    CHECK(values.read() == Floats(3, 1));
  };
  check_refused([&] { backend->synchronize(); });
  check_refused([&] { backend->wait_on_host(backend->record()); });
  CHECK_THROWS_AS(graph->launch(), Error);  // begin() was not called
  graph->begin();
  CHECK_THROWS_AS(graph->begin(), Error);
  backend->drop_graph();
}

// Attention uses lists on the host: of sequences with other lengths each time.
TEST_CASE("lists of the host that a graph's operations take are those of its own time") {
  const auto backend = gpu();
  const auto graph = backend->make_graph();
  constexpr std::int64_t kRows = 41;
  constexpr std::int64_t kWidth = 8;
  constexpr int kCalls = 40;  // each with a list: more than there are places for
  GpuAttention example = attention_case(attention_shape(1, kWidth, true), kRows);
  const OnGpu<float> qkv(*backend, Host<float>::of({kRows, 3 * kWidth}, example.qkv));
  const AttentionOperands inputs{.q = {qkv.tensor, 0}, .k = {qkv.tensor, kWidth}, .v = {qkv.tensor, 2 * kWidth}};
  std::vector<OnGpu<float>> outs;
  outs.reserve(kCalls);
  std::vector<OnGpu<float>> log_sums;
  log_sums.reserve(kCalls);
  for (int i = 0; i < kCalls; ++i) {
    outs.emplace_back(*backend, Host<float>::of({kRows, kWidth}, Floats(kRows * kWidth, 0)));
    log_sums.emplace_back(*backend, Host<float>::of({kRows, 1}, Floats(kRows, 0)));
  }
  const auto attend = [&](int step) {
    for (int i = 0; i < kCalls; ++i) {
      const std::int64_t border = 1 + (step + i) % (kRows - 1);
      std::vector<AttentionSequence> sequences{{0, border, 0, border}, {border, kRows, border, kRows}};
      const auto at = static_cast<std::size_t>(i);
      backend->attend(example.shape, {}, sequences, inputs, outs[at].tensor, log_sums[at].tensor);
      sequences.assign(sequences.size(), {});  // the caller may reuse them
    }
  };
  const auto results = [&] {
    std::vector<Floats> all;
    for (const auto& out : outs) all.push_back(out.read());
    return all;
  };
  for (int step = 0; step < 4; ++step) {
    attend(step);
    const std::vector<Floats> expected = results();
    for (const auto& out : outs) backend->fill(out.tensor, 0);
    graph->begin();
    attend(step + 100);
    if (step == 2) {
      backend->drop_graph();
      graph->begin();
    } else {
      graph->launch();
      graph->begin();
    }
    attend(step);
    graph->launch();
    CHECK(results() == expected);
  }
}

}  // namespace
}  // namespace lockstep
