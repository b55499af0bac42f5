#include "collective/shm/staged_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "collective/shm/span_stream.h"

namespace lockstep {
namespace {

using Sizes = std::vector<std::uint64_t>;  // number of pieces, then the bytes of each

Sizes no_pieces() { return {0}; }

void count_piece(Sizes& sizes, std::size_t bytes) {
  ++sizes.front();
  sizes.push_back(bytes);
}

// The streams between this rank and each peer in one direction.
template <class Piece, class Byte>
class Streams {
 public:
  Streams(std::span<const Piece> pieces, int Piece::*peer, int ranks)
      : sizes(static_cast<std::size_t>(ranks), no_pieces()), streams(static_cast<std::size_t>(ranks)) {
    for (const Piece& piece : pieces) count_piece(sizes[static_cast<std::size_t>(piece.*peer)], piece.bytes.size());
  }

  std::vector<Sizes> sizes;
  std::vector<SpanStream<Byte>> streams;
};

// other: the sizes it is printed next to. If the numbers of pieces differ, only the number is printed: the receiver has
// read as many sizes as it expected, so some of the sender's are missing, or are really contents of its pieces.
std::string described(const Sizes& sizes, const Sizes& other) {
  if (sizes.front() == 0) return "nothing";
  if (sizes.front() != other.front()) return fmt::format("{} pieces", sizes.front());
  const std::span<const std::uint64_t> pieces(sizes.data() + 1, std::min<std::size_t>(sizes.size() - 1, 4));
  return fmt::format("{} pieces of {}{} bytes", sizes.front(), fmt::join(pieces, ", "),
                     pieces.size() < sizes.size() - 1 ? ", ..." : "");
}

}  // namespace

void staged_exchange(Meeting& meeting, std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) {
  const int ranks = meeting.size();
  const std::size_t lane = RankBlock::kAreaBytes / static_cast<std::size_t>(ranks) / 64 * 64;
  Streams<SendPiece, const std::byte> out(sends, &SendPiece::to, ranks);
  Streams<ReceivePiece, std::byte> in(receives, &ReceivePiece::from, ranks);
  std::vector<Sizes> sent = in.sizes;  // sizes as the senders give them, once all has arrived
  const auto index = [](int rank) { return static_cast<std::size_t>(rank); };
  for (int peer = 0; peer < ranks; ++peer) {
    out.streams[index(peer)].add(std::as_bytes(std::span(out.sizes[index(peer)])));
    in.streams[index(peer)].add(std::as_writable_bytes(std::span(sent[index(peer)])));
  }
  for (const SendPiece& piece : sends) out.streams[index(piece.to)].add(piece.bytes);
  for (const ReceivePiece& piece : receives) in.streams[index(piece.from)].add(piece.bytes);

  std::size_t longest = 0;
  for (const auto& stream : out.streams) longest = std::max(longest, stream.bytes());
  const auto fill = [&] {
    for (int peer = 0; peer < ranks; ++peer) {
      std::byte* const to = meeting.next_area() + index(peer) * lane;
      out.streams[index(peer)].next(
          lane, [to](auto part, std::size_t at) { std::memcpy(to + at, part.data(), part.size()); });
    }
  };
  const auto use = [&] {
    for (int peer = 0; peer < ranks; ++peer) {
      const std::byte* const from = meeting.area(peer) + index(meeting.rank()) * lane;
      in.streams[index(peer)].next(
          lane, [from](auto part, std::size_t at) { std::memcpy(part.data(), from + at, part.size()); });
    }
  };
  fill();
  meeting.meet({.what = {.operation = Operation::exchange}, .offset = longest});
  for (int peer = 0; peer < ranks; ++peer) longest = std::max<std::size_t>(longest, meeting.call(peer).offset);
  use();
  for (std::size_t done = lane; done < longest; done += lane) {
    fill();
    meeting.meet();
    use();
  }
  for (int peer = 0; peer < ranks; ++peer) {
    if (sent[index(peer)] == in.sizes[index(peer)]) continue;
    meeting.fail_all(fmt::format("exchange: rank {} awaits {} from rank {}, which sends {}",
                                 meeting.job_rank(meeting.rank()), described(in.sizes[index(peer)], sent[index(peer)]),
                                 meeting.job_rank(peer), described(sent[index(peer)], in.sizes[index(peer)])));
  }
}

}  // namespace lockstep
