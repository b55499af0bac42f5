#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collective/communicator.h"

namespace lockstep {

// For communicators whose ranks compare an exchange before they begin it. Any thread.
//
// A rank's row: for each of `ranks` peers a hash of the sizes of the pieces it sends there, in their order, and then
// for each a hash of those it awaits from there. Where pieces match, so do the hashes; where they do not, the hashes
// differ but by an accident of one in 2^64.
std::vector<std::uint64_t> exchange_row(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives,
                                        int ranks);

// rows: those of all ranks, in their order. "" if every rank awaits what the others send it, else the first pair of
// ranks of which that does not hold: the same text on every rank.
std::string exchange_mismatch(std::span<const std::uint64_t> rows, int ranks);

}  // namespace lockstep
