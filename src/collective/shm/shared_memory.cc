#include "collective/shm/shared_memory.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/resource_limits.h"
#include "collective/shm/memory_file.h"
#include "collective/shm/memory_need.h"
#include "tensor/allocator.h"

namespace lockstep {
namespace {

// A rank's message to the others about its piece.
struct Piece {
  std::size_t bytes = 0;
  int error = 0;
  FilePlace place;                            // for mapped memory
  const std::shared_ptr<std::byte>* pointer;  // for memory in this process
};

// A rank's message to the others after it has opened their pieces.
struct Outcome {
  int error = 0;  // 0 = it has all it wants
  int whose = 0;  // the rank whose piece it does not have
};

template <class T>
std::vector<T> gather_values(const Gather& gather, const T& mine, int ranks) {
  std::vector<T> all(static_cast<std::size_t>(ranks));
  gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

std::string reason(int error) {
  if (error == ESRCH) return "it does not see that process; ranks of one host need one /proc";
  if (error == ENOMEM) return "no memory is left" + memory_limit_text();
  if (error == EFBIG) return system_message(error) + ", by the limit of ulimit -f";
  return system_message(error);
}

std::string text_of(const Outcome& outcome, int rank, const Piece& piece, std::span<const int> job_ranks) {
  const auto job_rank = [job_ranks](int of) { return job_ranks[static_cast<std::size_t>(of)]; };
  const std::string memory = fmt::format("{:.1f} MB of shared memory", static_cast<double>(piece.bytes) * 1e-6);
  if (outcome.whose == rank)
    return fmt::format("rank {} gets no {}: {}", job_rank(rank), memory, reason(outcome.error));
  return fmt::format("rank {} cannot open the {} of rank {}: {}", job_rank(rank), memory, job_rank(outcome.whose),
                     reason(outcome.error));
}

}  // namespace

SharedMemory share_memory(const Gather& gather, int rank, std::span<const int> job_ranks, Sharing sharing,
                          std::size_t bytes, std::span<const int> wanted) {
  const int ranks = static_cast<int>(job_ranks.size());
  if (sharing == Sharing::mapped) {  // no rank takes any before all know that there is enough
    const std::vector<MemoryNeed> needs = gather_values(gather, memory_need(bytes), ranks);
    if (std::string why = lacks_memory(needs, job_ranks); !why.empty()) return {{}, std::move(why), false};
  }
  MemoryFile mine;  // the file stays open until the last gather, when all have opened it
  if (bytes > 0 && sharing == Sharing::mapped) mine = make_memory_file(bytes);
  if (bytes > 0 && sharing == Sharing::in_process) mine.mapped.memory = heap_memory(bytes);
  const std::vector<Piece> pieces =
      gather_values(gather, Piece{bytes, mine.mapped.error, mine.place, &mine.mapped.memory}, ranks);

  SharedMemory shared;
  shared.pieces.resize(static_cast<std::size_t>(ranks));
  Outcome outcome{mine.mapped.error, rank};
  for (const int peer : wanted) {
    const Piece& piece = pieces[static_cast<std::size_t>(peer)];
    if (outcome.error != 0 || piece.error != 0 || piece.bytes == 0) continue;  // that rank itself reports its error
    std::shared_ptr<std::byte>& memory = shared.pieces[static_cast<std::size_t>(peer)];
    if (peer == rank) {
      memory = mine.mapped.memory;
    } else if (sharing == Sharing::in_process) {
      memory = *piece.pointer;
    } else {
      const MappedFile opened = open_memory_file(piece.place, piece.bytes);
      memory = opened.memory;
      outcome = {opened.error, peer};
    }
  }
  const std::vector<Outcome> outcomes = gather_values(gather, outcome, ranks);
  for (int peer = 0; peer < ranks; ++peer) {
    const Outcome& other = outcomes[static_cast<std::size_t>(peer)];
    if (other.error == 0) continue;
    return {{}, text_of(other, peer, pieces[static_cast<std::size_t>(other.whose)], job_ranks), other.error == ENOMEM};
  }
  return shared;
}

void refuse(const SharedMemory& shared) {
  if (shared.out_of_memory) throw OutOfMemory("out of memory: " + shared.why_not);
  throw Error(ExitCode::configuration, shared.why_not + "; give --collective=mpi");
}

}  // namespace lockstep
