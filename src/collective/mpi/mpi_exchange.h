#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "collective/communicator.h"

// A header for the .cc files that call MPI.
namespace lockstep {

inline constexpr std::size_t kMpiCallBytes = 1U << 30U;  // the most in one call: MPI's counts are ints

// Calls use(piece) with pieces of at most kMpiCallBytes, in order.
template <class Bytes, class Use>
void in_mpi_pieces(Bytes bytes, Use use) {
  for (std::size_t begin = 0; begin < bytes.size(); begin += kMpiCallBytes) {
    use(bytes.subspan(begin, std::min(kMpiCallBytes, bytes.size() - begin)));
  }
}

// Communicator::exchange over MPI's non-blocking messages; returns when all of this rank's are done. `who` is named in
// the error if a message has another size than awaited. The caller holds MpiSession::mutex().
void mpi_exchange(MPI_Comm communicator, std::span<const SendPiece> sends, std::span<const ReceivePiece> receives,
                  const std::string& who);

}  // namespace lockstep
