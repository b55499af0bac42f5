#include "collective/shm/shared_memory.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "collective/shm/memory_file.h"
#include "collective/shm/shm_communicator.h"
#include "support/file_limit.h"
#include "support/ranks.h"

namespace lockstep {
namespace {

Gather gather_over(Communicator& communicator) {
  return [&communicator](std::span<const std::byte> mine, std::span<std::byte> all) {
    communicator.all_gather(mine, all);
  };
}

}  // namespace

TEST_CASE("each rank sees the pieces it wants, of the sizes that were given") {
  for_ranks([](Communicator& communicator) {
    const int rank = communicator.rank();
    const int next = (rank + 1) % communicator.size();
    const auto bytes_of = [](int of) { return static_cast<std::size_t>(of) * 5'000; };  // rank 0 has none
    std::vector<int> wanted{rank};
    if (next != rank) wanted.push_back(next);
    std::vector<int> ranks(static_cast<std::size_t>(communicator.size()));
    std::iota(ranks.begin(), ranks.end(), 0);
    const SharedMemory shared =
        share_memory(gather_over(communicator), rank, ranks, Sharing::mapped, bytes_of(rank), wanted);
    REQUIRE(shared.why_not.empty());
    CHECK((shared.pieces[0] == nullptr));
    const auto& mine = shared.pieces[static_cast<std::size_t>(rank)];
    if (mine != nullptr) std::memset(mine.get(), rank, bytes_of(rank));
    meet(communicator);
    const auto& theirs = shared.pieces[static_cast<std::size_t>(next)];
    if (theirs != nullptr) CHECK(static_cast<int>(theirs.get()[bytes_of(next) - 1]) == next);
  });
}

TEST_CASE("what cannot be had is the same words on every rank, and no communicator") {
  const FileLimit limit(1000);  // for the whole process
  for_thread_ranks(3, [](RankContext& context) {
    const ShmResult made = make_shm_communicator(context.communicator, context.trace);
    CHECK(made.communicator == nullptr);
    CHECK(made.why_not.find("rank 0 gets no 1.0 MB of shared memory") != std::string::npos);
    CHECK(made.why_not.find("ulimit -f") != std::string::npos);
  });
}

TEST_CASE("large memory, where huge pages fit: zeroed, and one for all who open it, up to its last byte") {
  constexpr std::size_t kBytes = (5 << 20) + 12'345;
  const MemoryFile made = make_memory_file(kBytes);
  REQUIRE(made.mapped.error == 0);
  std::byte* const memory = made.mapped.memory.get();
  CHECK(reinterpret_cast<std::uintptr_t>(memory) % (2 << 20) == 0);
  CHECK(std::all_of(memory, memory + kBytes, [](std::byte byte) { return byte == std::byte{0}; }));
  const MappedFile opened = open_memory_file(made.place, kBytes);
  REQUIRE(opened.error == 0);
  std::memset(memory, 1, kBytes);
  CHECK(std::memcmp(opened.memory.get(), memory, kBytes) == 0);
}

TEST_CASE("another process's files are not taken for ours") {
  const MemoryFile made = make_memory_file(100);
  REQUIRE(made.mapped.error == 0);
  CHECK(open_memory_file(made.place, 100).error == 0);
  FilePlace other = made.place;
  ++other.cookie;
  CHECK(open_memory_file(other, 100).error == ESRCH);
  CHECK(open_memory_file(made.place, 64).error == ESRCH);
  other = made.place;
  other.descriptor = STDIN_FILENO;
  CHECK(open_memory_file(other, 100).error == ESRCH);
  other.process = 0;
  CHECK(open_memory_file(other, 100).error == ESRCH);
}

}  // namespace lockstep
