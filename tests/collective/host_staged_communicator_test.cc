#include "collective/host_staged_communicator.h"

#include <array>
#include <string>

#include "base/error.h"
#include "collective/communication_thread.h"
#include "collective/gpu_ranks.h"
#include "collective/shm/shm_communicator.h"

namespace lockstep {
namespace {

// All ranks compute on GPU 0, as if ranks outnumbered GPUs. Under mpirun each process has a GPU of its own.
void for_staged_ranks(const std::function<void(Communicator&, Backend&, RankContext&)>& body) {
  gpu_stand_in::have_gpus(1, std::size_t{1} << 28);
  for_rank_contexts([&](RankContext& context) {
    if (context.communicator.size() > 5) return;
    CudaBackend backend(0);
    const auto communicator =
        make_host_staged_communicator(context.communicator.split(0, context.communicator.rank()), backend);
    body(*communicator, backend, context);
    communicator->close();
  });
}

}  // namespace

TEST_CASE("host-staged: every operation and type, in one piece, in several, and none") {
  for_staged_ranks([](Communicator& communicator, Backend& backend, RankContext&) {
    const std::int64_t size = communicator.size();
    check_gpu_operations(communicator, backend, std::array<std::int64_t, 5>{0, 1, size + 1, 1003, 300'003});
  });
}

TEST_CASE("host-staged: more pieces than stages") {
  for_staged_ranks([](Communicator& communicator, Backend& backend, RankContext&) {
    constexpr std::int64_t kCount = 5 * (1 << 18) + 3;  // float32: five pieces of 1 MiB, and twelve bytes
    std::vector<float> mine(kCount);
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = static_cast<float>(i % 4099) * (communicator.rank() + 1);
    GpuValues<float> values(communicator.allocator(), backend, mine);
    communicator.wait(communicator.all_reduce(values.tensor(), backend.record()));
    const std::vector<float> sums = values.read();
    const int ranks = communicator.size() * (communicator.size() + 1) / 2;
    int wrong = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) wrong += sums[i] == static_cast<float>(i % 4099 * ranks) ? 0 : 1;
    CHECK(wrong == 0);
  });
}

TEST_CASE("host-staged: sums over shm, and by a thread beside the operations, which it does not wait for") {
  for_thread_ranks(3, [](RankContext& context) {
    CudaBackend backend(0);
    auto shm = make_shm_communicator(context.communicator, context.trace, Sharing::in_process).communicator;
    auto communicator = make_communication_thread(make_host_staged_communicator(std::move(shm), backend));
    CHECK(communicator->name() == std::string("shm through the host"));
    CHECK(communicator->summation() == "shm");
    GpuValues<float> values(communicator->allocator(), backend, {1.0F, 2.0F, 4.0F});
    const Event written = backend.record();
    Gate gate;
    backend.wait(gate.event());  // the backward pass has not finished
    communicator->wait(communicator->all_reduce(values.tensor(), written));
    gate.open();
    CHECK(values.read() == std::vector<float>{3, 6, 12});
    communicator->close();
  });
}

TEST_CASE("host-staged: an operation starts after its event") {
  for_thread_ranks(2, [](RankContext& context) {
    CudaBackend backend(0);
    auto communicator = make_communication_thread(
        make_host_staged_communicator(context.communicator.split(0, context.communicator.rank()), backend));
    GpuValues<float> values(communicator->allocator(), backend, {0.0F});
    Gate gate;
    backend.wait(gate.event());
    backend.fill(values.tensor(), 5);
    const Ticket ticket = communicator->all_reduce(values.tensor(), backend.record());
    gate.open();
    communicator->wait(ticket);
    CHECK(values.read() == std::vector<float>{10});
    communicator->close();
  });
}

TEST_CASE("host-staged: parts of a group, and memory of the GPU") {
  for_staged_ranks([](Communicator& communicator, Backend& backend, RankContext&) {
    CHECK(&communicator.allocator() == &backend.allocator());
    CHECK((communicator.common_memory() == nullptr) == (communicator.size() > 1));
    const auto part = communicator.split(communicator.rank() % 2, -communicator.rank());
    GpuValues<double> values(part->allocator(), backend, {double(communicator.rank())});
    part->wait(part->all_reduce(values.tensor(), backend.record()));
    double sum = 0;
    for (int rank = communicator.rank() % 2; rank < communicator.size(); rank += 2) sum += rank;
    CHECK(values.read() == std::vector<double>{sum});
    part->close();
    CHECK(communicator.split(-1, 0) == nullptr);
  });
}

TEST_CASE("host-staged: what is wrong is refused before anyone waits, and what differs is told to all") {
  for_staged_ranks([](Communicator& communicator, Backend& backend, RankContext& context) {
    std::array<float, 8> memory{};
    const Tensor host(memory.data(), DType::float32, {8});
    CHECK_THROWS_WITH_AS(communicator.all_reduce(host), doctest::Contains("lie on cpu"), Error);
    GpuValues<std::int32_t> integers(communicator.allocator(), backend, {1});
    CHECK_THROWS_WITH_AS(communicator.all_reduce(integers.tensor()), doctest::Contains("no sums of int32"), Error);
    CHECK_THROWS_WITH_AS(communicator.broadcast(integers.tensor(), communicator.size()), doctest::Contains("root"),
                         Error);
    const std::vector<FlatRange> short_slices(static_cast<std::size_t>(communicator.size()));
    CHECK_THROWS_WITH_AS(communicator.all_gather(integers.tensor(), short_slices), doctest::Contains("slices up to 0"),
                         Error);
    static_cast<void>(context);
  });
  for_thread_ranks(3, [](RankContext& context) {
    CudaBackend backend(0);
    const auto communicator = make_host_staged_communicator(context.communicator.split(0, 0), backend);
    const std::int64_t count = communicator->rank() == 2 ? 4 : 3;
    GpuValues<float> values(communicator->allocator(), backend, std::vector<float>(static_cast<std::size_t>(count)));
    std::string why;
    try {
      communicator->all_reduce(values.tensor(), backend.record());
    } catch (const Error& error) {
      why = error.what();
    }
    CHECK(why.find("of 3 float32") != std::string::npos);
    CHECK(why.find("of 4 float32") != std::string::npos);
  });
}

TEST_CASE("host-staged: a rank that gives up ends the others' waits") {
  for_thread_ranks(3, [](RankContext& context) {
    CudaBackend backend(0);
    const auto communicator = make_host_staged_communicator(context.communicator.split(0, 0), backend);
    GpuValues<float> values(communicator->allocator(), backend, {1.0F});
    if (communicator->rank() == 1) return communicator->abandon();
    CHECK_THROWS_WITH_AS(communicator->all_reduce(values.tensor(), backend.record()), doctest::Contains("gave up"),
                         Error);
  });
}

}  // namespace lockstep
