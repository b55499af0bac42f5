#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collective/communicator.h"

namespace lockstep {

// These functions compare an exchange before it begins, for communicators that check their calls. Any thread.
//
// A rank's row: for each of `ranks` peers a hash of the sizes of the pieces it sends there, in their order, then for
// each a hash of those it awaits from there. If pieces match, so do the hashes; if not, the hashes are the same only
// with probability 2^-64.
std::vector<std::uint64_t> exchange_row(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives,
                                        int ranks);

// rows: those of all ranks, in their order. Returns "" if every rank awaits what the others send it, else a text on the
// first pair of ranks for which that does not hold: the same on every rank.
std::string exchange_mismatch(std::span<const std::uint64_t> rows, int ranks);

}  // namespace lockstep
