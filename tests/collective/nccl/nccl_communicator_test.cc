#include "collective/nccl/nccl_communicator.h"

#include <array>
#include <atomic>
#include <future>
#include <string>

#include "base/error.h"
#include "collective/abandon_guard.h"
#include "collective/gpu_ranks.h"

namespace lockstep {
namespace {

constexpr std::array<int, 4> kWorlds{1, 2, 3, 5};

int own_gpu(int rank) { return rank; }

std::unique_ptr<Communicator> make_nccl(RankContext& context, Backend& backend) {
  return make_nccl_communicator(
      {.group = context.communicator, .trace = context.trace, .backend = backend, .hosts = "these ranks"});
}

// Runs body on worlds of ranks with NCCL; closes the communicator here, not in body.
void for_nccl_ranks(std::span<const int> worlds,
                    const std::function<void(Communicator&, Backend&, RankContext&)>& body) {
  for_gpu_ranks(worlds, own_gpu, [&](RankContext& context, Backend& backend) {
    const auto communicator = make_nccl(context, backend);
    body(*communicator, backend, context);
    communicator->close();
  });
  CHECK(gpu_stand_in::nccl_communicators() == 0);
  CHECK(gpu_stand_in::memory_in_use() == 0);
}

std::vector<float> ones(std::size_t count = 3) { return std::vector<float>(count, 1.0F); }

// A rank of a job in which something fails: its objects, in the order in which a run makes them.
struct Job {
  explicit Job(RankContext& context, int gpu)
      : backend(gpu),
        communicator(make_nccl(context, backend)),
        values(communicator->allocator(), backend, ones(100'000)),
        state(backend.allocator(), backend, ones()) {}

  // Sums a bucket of a step; the backend's later operations wait for it.
  void exchange() { communicator->wait(communicator->all_reduce(values.tensor(), backend.record())); }

  CudaBackend backend;
  std::unique_ptr<Communicator> communicator;
  GpuValues<float> values;
  GpuValues<float> state;
};

}  // namespace

TEST_CASE("nccl: every operation and type, slices of one length and of others") {
  for_nccl_ranks(kWorlds, [](Communicator& communicator, Backend& backend, RankContext&) {
    const std::int64_t size = communicator.size();
    check_gpu_operations(communicator, backend, std::array<std::int64_t, 6>{0, 1, size + 1, 64 * size, 1003, 100'003});
  });
}

TEST_CASE("nccl: neither the call nor wait() lets the host wait, and the order of operations holds all the same") {
  for_nccl_ranks(kWorlds, [](Communicator& communicator, Backend& backend, RankContext&) {
    GpuValues<float> values(communicator.allocator(), backend, ones());
    Gate gate;
    backend.wait(gate.event());
    backend.fill(values.tensor(), 2);
    communicator.wait(communicator.all_reduce(values.tensor(), backend.record()));
    backend.fill(values.tensor(), 7);  // runs after the sums, or they would overwrite it
    gate.open();
    CHECK(values.read() == std::vector<float>(3, 7.0F));
  });
}

TEST_CASE("nccl: an operation is marked until the GPU is done with it") {
  for_nccl_ranks(kWorlds, [](Communicator& communicator, Backend& backend, RankContext& context) {
    GpuValues<float> values(communicator.allocator(), backend, ones());
    Gate gate;
    backend.wait(gate.event());
    const Event after = backend.record();
    communicator.all_reduce(values.tensor(), after);
    const Ticket last = communicator.all_reduce(values.tensor(), after);
    CHECK(context.trace.line().operation == Operation::all_reduce);
    CHECK(context.trace.line().bytes == 3 * sizeof(float));
    gate.open();
    communicator.wait(last);
    backend.synchronize();
    CHECK(comes_true([&] { return context.trace.line().operation == Operation::none; }));
  });
}

TEST_CASE("nccl: what decides the bits of its sums, and its names") {
  for_gpu_ranks(kWorlds, own_gpu, [](RankContext& context, Backend& backend) {
    const NcclParts parts{.group = context.communicator,
                          .trace = context.trace,
                          .backend = backend,
                          .algorithm = NcclAlgorithm::ring,
                          .hosts = "2 + 2 ranks"};
    const auto communicator = make_nccl_communicator(parts);
    CHECK(communicator->name() == std::string("ring"));
    CHECK(communicator->summation() == "ring of 2 + 2 ranks, NCCL 2.28.9");
    CHECK(communicator->scatters_alike() == (communicator->size() == 1));
    CHECK(!communicator->set_overlap(Overlap::thread));
    // NCCL's kernels for windows are not rings.
    const Buffer memory = communicator->allocator().allocate(1 << 20);
    CHECK(communicator->details().starts_with(communicator->size() == 1
                                                  ? "ring: NCCL 2.28.9, 2 + 2 ranks, memory that is not registered"
                                                  : "ring: NCCL 2.28.9, 2 + 2 ranks, registered memory"));
    communicator->close();
  });
}

TEST_CASE("nccl: what is known of it says in what memory it works") {
  for_nccl_ranks(kWorlds, [](Communicator& communicator, Backend&, RankContext&) {
    const std::string before = "nccl: NCCL 2.28.9, these ranks, memory that is not registered";
    CHECK(communicator.details().starts_with(before));
    const Buffer memory = communicator.allocator().allocate(1 << 20);
    const bool alone = communicator.size() == 1;
    CHECK(communicator.details().starts_with(alone ? before
                                                   : "nccl: NCCL 2.28.9, these ranks, memory registered as windows"));
  });
}

TEST_CASE("nccl: its ranks are connected by a sum as large as a bucket, whose memory is given back") {
  for_gpu_ranks(kWorlds, own_gpu, [](RankContext& context, Backend& backend) {
    const NcclParts parts{.group = context.communicator,
                          .trace = context.trace,
                          .backend = backend,
                          .hosts = "these ranks",
                          .bytes = 4 << 20};
    const auto communicator = make_nccl_communicator(parts);
    CHECK(communicator->details() ==
          "nccl: NCCL 2.28.9, these ranks, memory that is not registered; NCCL_DEBUG=INFO shows the channels and "
          "transports that it chooses");
    communicator->close();
  });
  CHECK(gpu_stand_in::memory_in_use() == 0);
}

TEST_CASE("nccl: parts of a group are groups of their own") {
  for_nccl_ranks(kWorlds, [](Communicator& communicator, Backend& backend, RankContext&) {
    const int parity = communicator.rank() % 2;
    const auto part = communicator.split(parity, -communicator.rank());
    CHECK(part->size() == (communicator.size() + 1 - parity) / 2);
    GpuValues<double> values(part->allocator(), backend, {double(communicator.rank())});
    part->wait(part->all_reduce(values.tensor(), backend.record()));
    double sum = 0;
    for (int rank = parity; rank < communicator.size(); rank += 2) sum += rank;
    CHECK(values.read() == std::vector<double>{sum});
    part->close();
    CHECK(communicator.split(-1, 0) == nullptr);
  });
}

TEST_CASE("nccl: memory may outlive the communicator that gave it") {
  for_gpu_ranks(kWorlds, own_gpu, [](RankContext& context, Backend& backend) {
    Buffer large;
    Buffer small;
    const auto communicator = make_nccl(context, backend);
    large = communicator->allocator().allocate(1 << 20);
    small = communicator->allocator().allocate(12);
    CHECK(large.device() == backend.device());
    { const Buffer freed_before = communicator->allocator().allocate(1 << 20); }
    communicator->close();
    CHECK_THROWS_WITH_AS(communicator->all_reduce(view(small, DType::float32, {3})),
                         doctest::Contains("has closed its communicator"), Error);
  });
  CHECK(gpu_stand_in::memory_in_use() == 0);
}

TEST_CASE("nccl: what is wrong is refused before anyone waits") {
  for_nccl_ranks(kWorlds, [](Communicator& communicator, Backend& backend, RankContext&) {
    std::array<float, 8> memory{};
    CHECK_THROWS_WITH_AS(communicator.all_reduce({memory.data(), DType::float32, {8}}), doctest::Contains("lie on cpu"),
                         Error);
    GpuValues<std::int32_t> integers(communicator.allocator(), backend, {1});
    CHECK_THROWS_WITH_AS(communicator.all_reduce(integers.tensor()), doctest::Contains("no sums of int32"), Error);
    CHECK_THROWS_WITH_AS(communicator.broadcast(integers.tensor(), -1), doctest::Contains("root -1"), Error);
    const std::vector<FlatRange> short_slices(static_cast<std::size_t>(communicator.size()));
    CHECK_THROWS_WITH_AS(communicator.reduce_scatter(integers.tensor(), short_slices), doctest::Contains("no sums"),
                         Error);
    CHECK_THROWS_WITH_AS(communicator.all_gather(integers.tensor(), short_slices), doctest::Contains("slices up to 0"),
                         Error);
    // Copies work for any type.
    communicator.wait(communicator.broadcast(integers.tensor(), 0, backend.record()));
    CHECK(integers.read() == std::vector<std::int32_t>{1});
  });
}

TEST_CASE("nccl: a rank that cannot join is told to all, and nobody waits for it") {
  for_gpu_ranks(
      std::array{2, 3}, [](int /*rank*/) { return 0; },
      [](RankContext& context, Backend& backend) {
        std::string why;
        try {
          make_nccl(context, backend);
        } catch (const Error& error) {
          CHECK(error.code() == ExitCode::configuration);
          CHECK(error.scope() == Scope::every_rank);
          why = error.what();
        }
        CHECK(why == "Duplicate GPU detected");
      });
  CHECK(gpu_stand_in::nccl_communicators() == 0);
}

// S9: a rank's memory, streams and Backend wait for operations that wait for a peer.
TEST_CASE("nccl: a rank that fails while its stream waits for peers that never come ends at once") {
  const Stopwatch watch;
  std::string why;
  try {
    for_gpu_ranks(std::array{3}, own_gpu, [](RankContext& context, Backend&) {
      Job job(context, context.communicator.rank());
      const AbandonGuard guard(*job.communicator);
      job.exchange();
      if (context.communicator.rank() != 1) return meet(context.communicator);  // until the world is poisoned
      job.exchange();                                                           // the others do not come
      job.backend.fill(job.state.tensor(), 3);
      throw Error(ExitCode::internal, "no disk");
    });
  } catch (const Error& error) {
    why = error.what();
  }
  CHECK(why == "no disk");
  CHECK(watch.seconds() < 30);
  CHECK(gpu_stand_in::nccl_communicators() == 0);
  CHECK(gpu_stand_in::memory_in_use() == 0);
}

TEST_CASE("nccl: one rank fails in the middle of a step, and the hosts of the others wait for their GPUs") {
  const Stopwatch watch;
  std::array<std::promise<Communicator*>, 3> waiting;  // by the ranks that wait
  std::array<std::promise<void>, 3> abandoned;
  std::array<std::promise<void>, 3> ended;
  std::atomic<int> told = 0;
  std::string why;
  try {
    for_gpu_ranks(std::array{3}, own_gpu, [&](RankContext& context, Backend&) {
      const auto rank = static_cast<std::size_t>(context.communicator.rank());
      if (rank == 1) {
        try {
          Job job(context, 1);
          const AbandonGuard guard(*job.communicator);
          job.exchange();
          throw Error(ExitCode::internal, "a gradient is not finite");
        } catch (const Error&) {
          // Its objects are gone; MPI_Abort or a watchdog, which would end the job, now reaches the others.
          for (const std::size_t other : {0, 2}) {
            waiting[other].get_future().get()->abandon();
            abandoned[other].set_value();
          }
          for (const std::size_t other : {0, 2}) ended[other].get_future().wait();
          throw;
        }
      }
      {
        Job job(context, context.communicator.rank());
        const AbandonGuard guard(*job.communicator);
        job.exchange();
        job.exchange();  // rank 1 does not call it
        waiting[rank].set_value(job.communicator.get());
        job.backend.synchronize();
        CHECK_THROWS_WITH_AS(job.exchange(), doctest::Contains("gave up"), Error);
        abandoned[rank].get_future().wait();  // abandon() has returned
        ++told;
      }
      ended[rank].set_value();
    });
  } catch (const Error& error) {
    why = error.what();
  }
  CHECK(why == "a gradient is not finite");
  CHECK(told == 2);
  CHECK(watch.seconds() < 30);
  CHECK(gpu_stand_in::nccl_communicators() == 0);
  CHECK(gpu_stand_in::memory_in_use() == 0);
}

TEST_CASE("nccl: an error that NCCL finds ends the operations under way, while the host waits for them") {
  for_gpu_ranks(std::array{3}, own_gpu, [](RankContext& context, Backend&) {
    Job job(context, context.communicator.rank());
    const AbandonGuard guard(*job.communicator);
    job.exchange();
    if (context.communicator.rank() != 2) job.exchange();
    meet(context.communicator);
    if (context.communicator.rank() == 2) gpu_stand_in::lose_nccl_peer();
    meet(context.communicator);
    job.backend.synchronize();
    if (context.communicator.rank() != 2) {
      CHECK_THROWS_WITH_AS(job.exchange(), doctest::Contains("remote process exited"), Error);
    }
    meet(context.communicator);
    gpu_stand_in::find_nccl_peer_again();
  });
  CHECK(gpu_stand_in::nccl_communicators() == 0);
}

}  // namespace lockstep
