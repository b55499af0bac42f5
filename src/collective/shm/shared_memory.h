#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lockstep {

// The kind of ranks that share memory: processes of one host, or threads of one process (unit tests, sanitizers).
enum class Sharing { mapped, in_process };

// all (ranks * mine.size() bytes) = every rank's bytes, in the order of ranks. COLLECTIVE.
using Gather = std::function<void(std::span<const std::byte> mine, std::span<std::byte> all)>;

// Memory of several ranks that this rank sees.
struct SharedMemory {
  // A piece for each rank, in their order; null if it was not wanted or its rank made none. Zeroed, aligned to 64
  // bytes, of the size that its rank gave. A piece is unmapped here with its last pointer here; the others keep theirs.
  std::vector<std::shared_ptr<std::byte>> pieces;
  std::string why_not;         // "" = every rank has all it wants; else the same on every rank, and no pieces
  bool out_of_memory = false;  // the reason is a lack of memory
};

// Throws OutOfMemory, or Error(configuration) if another communicator would help; all ranks call it. REQUIRES: why_not.
[[noreturn]] void refuse(const SharedMemory& shared);

// Makes `bytes` bytes of memory of this rank (0: none) and opens what the ranks in `wanted` made; both may differ
// between ranks. Nothing of it has a name in a file system, so nothing is left over, whatever ends the processes.
// job_ranks: the numbers in the job of the ranks that gather, which why_not names.
// COLLECTIVE. Threads: one at a time.
SharedMemory share_memory(const Gather& gather, int rank, std::span<const int> job_ranks, Sharing sharing,
                          std::size_t bytes, std::span<const int> wanted);

}  // namespace lockstep
