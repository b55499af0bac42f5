#include "collective/exchange_check.h"

#include <fmt/format.h>

#include "collective/collective_call.h"

namespace lockstep {
namespace {

// Hashes of the pieces between this rank and each peer in one direction, taken as slices of one stream.
template <class Piece>
void add_hashes(std::span<const Piece> pieces, int Piece::*peer, int ranks, std::vector<std::uint64_t>& row) {
  std::vector<std::vector<FlatRange>> streams(static_cast<std::size_t>(ranks));
  for (const Piece& piece : pieces) {
    std::vector<FlatRange>& stream = streams[static_cast<std::size_t>(piece.*peer)];
    const std::int64_t begin = stream.empty() ? 0 : stream.back().end;
    stream.push_back({begin, begin + std::ssize(piece.bytes)});
  }
  for (const std::vector<FlatRange>& stream : streams) row.push_back(hash_of(stream));
}

}  // namespace

std::vector<std::uint64_t> exchange_row(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives,
                                        int ranks) {
  std::vector<std::uint64_t> row;
  row.reserve(2 * static_cast<std::size_t>(ranks));
  add_hashes(sends, &SendPiece::to, ranks, row);
  add_hashes(receives, &ReceivePiece::from, ranks, row);
  return row;
}

std::string exchange_mismatch(std::span<const std::uint64_t> rows, int ranks) {
  const auto count = static_cast<std::size_t>(ranks);
  for (std::size_t from = 0; from < count; ++from) {
    for (std::size_t to = 0; to < count; ++to) {
      const std::uint64_t sent = rows[from * 2 * count + to];
      const std::uint64_t awaited = rows[to * 2 * count + count + from];
      if (sent != awaited)
        return fmt::format("exchange: rank {} awaits other pieces from rank {} than it sends", to, from);
    }
  }
  return "";
}

}  // namespace lockstep
