// Mistakes and failures, on ranks that are threads: every rank gets an error that names both calls, and none waits
// forever.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "collective/communication_thread.h"
#include "collective/shm/shm_communicator.h"
#include "collective/slices.h"
#include "support/check_error.h"
#include "support/ranks.h"

namespace lockstep {
namespace {

using Body = std::function<void(Communicator&)>;

// Runs three ranks of which rank 1 does something else; every rank gets an error with these words.
void check_misuse(const Body& others, const Body& rank_1, const std::initializer_list<std::string>& words) {
  for_thread_ranks(3, [&](RankContext& context) {
    const ShmResult made = make_shm_communicator(context.communicator, context.trace, Sharing::in_process);
    Communicator& communicator = *made.communicator;
    check_error(ExitCode::internal, words, [&] { (communicator.rank() == 1 ? rank_1 : others)(communicator); });
    CHECK_THROWS_AS(communicator.barrier(), Error);  // unusable from now on
    meet(context.communicator);
  });
}

Body sum_of(DType dtype, std::int64_t count) {
  return [=](Communicator& communicator) {
    std::vector<double> memory(static_cast<std::size_t>(count));
    communicator.all_reduce({memory.data(), dtype, {count}});
  };
}

Body broadcast_from(int root) {
  return [=](Communicator& communicator) {
    std::vector<std::byte> bytes(5);
    communicator.broadcast(bytes, root);
  };
}

}  // namespace

TEST_CASE("misuse is named: operations, counts, types, roots, slices, sizes of memory") {
  check_misuse(sum_of(DType::float32, 7), [](Communicator& communicator) { communicator.barrier(); },
               {"rank 0 calls all-reduce of 7 float32", "rank 1 calls barrier"});
  check_misuse(sum_of(DType::float32, 7), sum_of(DType::float32, 8), {"of 7 float32", "of 8 float32"});
  check_misuse(sum_of(DType::float32, 100'000), sum_of(DType::float32, 5), {"of 100000 float32", "of 5 float32"});
  check_misuse(sum_of(DType::float64, 7), sum_of(DType::float32, 7), {"of 7 float64", "of 7 float32"});
  check_misuse(broadcast_from(0), broadcast_from(2), {"of 5 bytes from rank 0", "of 5 bytes from rank 2"});
  const auto scatter = [](std::vector<FlatRange> slices) {
    return [slices](Communicator& communicator) {
      std::vector<float> values(9);
      communicator.reduce_scatter({values.data(), DType::float32, {9}}, slices);
    };
  };
  check_misuse(scatter(equal_slices(9, 3)), scatter({{0, 9}, {9, 9}, {9, 9}}), {"reduce-scatter of 9", "slices"});
  const auto take = [](std::size_t bytes) {
    return [bytes](Communicator& communicator) { const Buffer buffer = communicator.allocator().allocate(bytes); };
  };
  check_misuse(take(100), take(200),
               {"rank 0 calls allocation of shared memory of 100 bytes", "rank 1 calls", "of 200 bytes"});
  check_misuse(take(100), sum_of(DType::float32, 7),
               {"rank 0 calls allocation of shared memory of 100 bytes", "rank 1 calls all-reduce of 7 float32"});
}

TEST_CASE("messages of a part of the job name its ranks as the job does") {
  for_thread_ranks(3, [](RankContext& context) {
    const auto group = context.communicator.split(context.communicator.rank() == 0 ? 0 : 1, 0);
    const ShmResult made = make_shm_communicator(*group, context.trace, Sharing::in_process);
    if (group->size() == 2) {
      const auto part = made.communicator->split(0, 0);
      check_error(ExitCode::internal, {"rank 1 calls all-reduce of 10 float32 where rank 2 calls all-reduce of 20"},
                  [&] { sum_of(DType::float32, 10 * context.communicator.rank())(*part); });
    }
    meet(context.communicator);
  });
}

TEST_CASE("an exchange that does not match is the receiver's error, and then everyone's") {
  for_thread_ranks(3, [](RankContext& context) {
    const ShmResult made = make_shm_communicator(context.communicator, context.trace, Sharing::in_process);
    Communicator& communicator = *made.communicator;
    const std::vector<std::byte> out(8);
    std::vector<std::byte> in(8);
    const SendPiece send{(communicator.rank() + 1) % 3, out};
    const ReceivePiece receive{(communicator.rank() + 2) % 3, std::span(in).first(communicator.rank() == 1 ? 4 : 8)};
    const auto twice = [&] {
      communicator.exchange({&send, 1}, {&receive, 1});
      communicator.barrier();
    };
    check_error(ExitCode::internal, {"rank 1 awaits 1 pieces of 4 bytes from rank 0", "sends 1 pieces of 8"}, twice);
    meet(context.communicator);
  });
}

TEST_CASE("of exchanges with other numbers of pieces the numbers are told, and no sizes") {
  for_thread_ranks(3, [](RankContext& context) {
    const ShmResult made = make_shm_communicator(context.communicator, context.trace, Sharing::in_process);
    Communicator& communicator = *made.communicator;
    const std::vector<std::byte> out(8, std::byte{0x5a});
    std::vector<std::byte> in(8);
    const int rank = communicator.rank();
    const std::vector<SendPiece> sends(1, {(rank + 1) % 3, out});
    const std::vector<ReceivePiece> receives(rank == 1 ? 2 : 1, {(rank + 2) % 3, in});
    const auto twice = [&] {
      communicator.exchange(sends, receives);
      communicator.barrier();
    };
    check_error(ExitCode::internal, {"rank 1 awaits 2 pieces from rank 0, which sends 1 pieces"}, twice);
    meet(context.communicator);
  });
}

TEST_CASE("a rank that gives up, or goes without closing, ends the waits of the others and of their parts") {
  for (const bool says_so : {true, false}) {
    for_thread_ranks(5, [&](RankContext& context) {
      ShmResult made = make_shm_communicator(context.communicator, context.trace, Sharing::in_process);
      const auto part = made.communicator->split(made.communicator->rank() < 2 ? 0 : 1, 0);
      if (made.communicator->rank() == 4) {
        if (says_so) made.communicator->abandon();
        made.communicator.reset();
      } else {
        check_error(ExitCode::internal, {"rank 4 (shm) gave up"}, [&] { made.communicator->barrier(); });
        check_error(ExitCode::internal, {"rank 4 (shm) gave up"}, [&] { part->barrier(); });
      }
      meet(context.communicator);
    });
  }
}

TEST_CASE(
    "on a communication thread: memory outlives the operations under way, and a rank that unwinds ends the rest") {
  for_thread_ranks(3, [](RankContext& context) {
    constexpr std::int64_t kCount = 300'000;
    ShmResult made = make_shm_communicator(context.communicator, context.trace, Sharing::in_process);
    const auto communicator = make_communication_thread(std::move(made.communicator));
    {
      const Buffer buffer = communicator->allocator().allocate(kCount * sizeof(float));
      const Tensor values = view(buffer, DType::float32, {kCount});
      for (float& value : values.span<float>()) value = 1;
      communicator->wait(communicator->all_reduce(values));
      CHECK(values.as<float>()[kCount - 1] == 3);
      communicator->all_reduce(values);  // not waited for
    }
    communicator->barrier();
    if (communicator->rank() != 2) {
      check_error(ExitCode::internal, {"rank 2 (shm) gave up"}, [&] { communicator->barrier(); });
    } else {
      communicator->abandon();
    }
    meet(context.communicator);
  });
}

}  // namespace lockstep
