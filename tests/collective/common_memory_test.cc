#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "collective/communication_thread.h"
#include "support/check_error.h"
#include "support/ranks.h"
#include "support/shm_ranks.h"

// Communicator::common_memory(): one copy for all ranks.
namespace lockstep {
namespace {

// Each rank writes its share of a buffer, all read all of it, and the buffer stays when rank 0 has freed its own.
void check_one_copy(Communicator& ranks) {
  Allocator* const memory = ranks.common_memory();
  REQUIRE(memory != nullptr);
  CHECK(memory->is_common() == (ranks.size() > 1));
  CHECK(!ranks.allocator().is_common());
  for (const std::int64_t each : {std::int64_t{1}, std::int64_t{16}, std::int64_t{300'001}}) {
    const std::int64_t count = each * ranks.size();
    std::optional<Buffer> buffer = memory->allocate(static_cast<std::size_t>(count) * sizeof(float));
    CHECK(reinterpret_cast<std::uintptr_t>(buffer->data()) % 64 == 0);
    auto* const values = static_cast<float*>(buffer->data());
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < count; ++i) wrong += values[i] != 0;
    CHECK(wrong == 0);
    ranks.barrier();
    for (std::int64_t i = ranks.rank(); i < count; i += ranks.size()) values[i] = static_cast<float>(i % 1000 + 1);
    ranks.barrier();
    if (ranks.rank() == 0 && ranks.size() > 1) buffer.reset();
    ranks.barrier();
    for (std::int64_t i = 0; buffer && i < count; ++i) wrong += values[i] != static_cast<float>(i % 1000 + 1);
    CHECK(wrong == 0);
    ranks.barrier();
  }
  CHECK(memory->allocate(0).data() == nullptr);
}

// Checks it as a communicator of its own, as a part of one, and on a second thread.
void check_communicator(Communicator& ranks) {
  check_one_copy(ranks);
  const auto part = ranks.split(ranks.rank() % 2, 0);
  check_one_copy(*part);
  part->close();
  const auto threaded = make_communication_thread(ranks.split(0, ranks.rank()));
  check_one_copy(*threaded);
  threaded->close();
}

}  // namespace

TEST_CASE("common memory: what one rank writes all read, in threads, in shared memory and alone") {
  for_shm_ranks([](RankContext& context) { check_communicator(context.communicator); });
  for (const int ranks : {1, 2, 3, 5}) {
    for_thread_ranks(ranks, [](RankContext& context) { check_communicator(context.communicator); });
  }
}

TEST_CASE("common memory: several ranks over MPI have none") {
  for_ranks([](Communicator& ranks) {
    if (std::string_view(ranks.name()) == "mpi") CHECK((ranks.common_memory() != nullptr) == (ranks.size() == 1));
  });
}

TEST_CASE("common memory: ranks that ask for other sizes are told so") {
  for_shm_thread_ranks(3, [](RankContext& context) {
    const auto bytes = static_cast<std::size_t>(context.communicator.rank() == 2 ? 128 : 64);
    check_error(ExitCode::internal, {"allocation of shared memory of 64 bytes", "rank 2 calls", "of 128 bytes"},
                [&] { context.communicator.common_memory()->allocate(bytes); });
  });
}

}  // namespace lockstep
