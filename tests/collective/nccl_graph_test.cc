// NCCL's operations as parts of a graph.
#include <array>

#include "collective/gpu_ranks.h"
#include "collective/nccl/nccl_communicator.h"

namespace lockstep {
namespace {

constexpr std::array<int, 3> kWorlds{1, 2, 3};

void for_nccl_ranks(const std::function<void(Communicator&, Backend&, RankContext&)>& body) {
  for_gpu_ranks(
      kWorlds, [](int rank) { return rank; },
      [&](RankContext& context, Backend& backend) {
        const auto communicator = make_nccl_communicator(
            {.group = context.communicator, .trace = context.trace, .backend = backend, .hosts = "these ranks"});
        body(*communicator, backend, context);
        communicator->close();
      });
  CHECK(gpu_stand_in::memory_in_use() == 0);
}

}  // namespace

TEST_CASE("nccl: operations of a graph run with it, each time, after what they wait for and before what waits") {
  for_nccl_ranks([](Communicator& communicator, Backend& backend, RankContext&) {
    CHECK(communicator.works_in_graphs());
    const auto graph = backend.make_graph();
    GpuValues<float> values(communicator.allocator(), backend, {1, 1, 1});
    GpuValues<float> others(communicator.allocator(), backend, {1, 1, 1});
    backend.synchronize();
    const int ranks = communicator.size();
    for (int step = 1; step <= 3; ++step) {
      graph->begin();
      backend.fill(values.tensor(), step);
      const Ticket first = communicator.all_reduce(values.tensor(), backend.record());
      backend.fill(others.tensor(), 10 * step);  // may run at the same time
      const Ticket second = communicator.all_reduce(others.tensor(), backend.record());
      communicator.wait(first);
      backend.scale(values.tensor(), 2);
      communicator.wait(second);
      backend.add(others.tensor(), values.tensor());
      graph->launch();
      CHECK(values.read() == std::vector<float>(3, static_cast<float>(12 * step * ranks)));
    }
    CHECK(graph->made() == 1);
    communicator.wait(communicator.all_reduce(others.tensor(), backend.record()));
    CHECK(others.read() == std::vector<float>(3, static_cast<float>(30 * ranks * ranks)));
  });
}

TEST_CASE("nccl: a rank that gives up while there are graphs does not wait for their end, which NCCL does") {
  for_gpu_ranks(
      kWorlds, [](int rank) { return rank; },
      [](RankContext& context, Backend& backend) {
        const auto communicator = make_nccl_communicator(
            {.group = context.communicator, .trace = context.trace, .backend = backend, .hosts = "these ranks"});
        GpuValues<float> values(communicator->allocator(), backend, std::vector<float>(1 << 17, 1));
        const auto graph = backend.make_graph();
        graph->begin();
        communicator->wait(communicator->all_reduce(values.tensor(), backend.record()));
        graph->launch();
        CHECK(values.read() == std::vector<float>(1 << 17, static_cast<float>(communicator->size())));
        communicator->abandon();
        CHECK_THROWS_WITH_AS(communicator->all_reduce(values.tensor(), backend.record()), doctest::Contains("gave up"),
                             Error);
      });
  CHECK(gpu_stand_in::memory_in_use() == 0);
  CHECK(gpu_stand_in::nccl_communicators() == 0);
}

TEST_CASE("nccl: operations of a graph are marked until all of it is done, and nobody asks for them before") {
  for_nccl_ranks([](Communicator& communicator, Backend& backend, RankContext& context) {
    const auto graph = backend.make_graph();
    GpuValues<float> values(communicator.allocator(), backend, {1, 1, 1});
    backend.synchronize();
    communicator.wait(communicator.all_reduce(values.tensor(), backend.record()));  // polled by the thread
    constexpr int kOperations = 300;                                                // more than there are events
    graph->begin();
    for (int i = 0; i < kOperations; ++i) {
      communicator.wait(communicator.all_reduce(values.tensor(), backend.record()));
      backend.fill(values.tensor(), 1);
    }
    CHECK(context.trace.line().operation == Operation::all_reduce);
    graph->launch();
    CHECK(values.read() == std::vector<float>(3, 1));
    CHECK(comes_true([&] { return context.trace.line().operation == Operation::none; }));

    graph->begin();
    communicator.wait(communicator.all_reduce(values.tensor(), backend.record()));
    CHECK(backend.drop_graph());
    CHECK(comes_true([&] { return context.trace.line().operation == Operation::none; }));
    CHECK(values.read() == std::vector<float>(3, 1));
  });
}

}  // namespace lockstep
