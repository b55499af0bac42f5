#include "collective/shm/tensor_operations.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "collective/shm/rounds.h"
#include "collective/shm/streaming_copy.h"
#include "collective/slices.h"
#include "collective/sum_kernels.h"

namespace lockstep {
namespace {

// Up to these sizes values go through the areas wherever they lie, and everyone sums everything: that takes one
// meeting, while working in place or in slices takes two. A meeting of two ranks costs less than the copy of 2 KB.
constexpr std::size_t kSmallBytes = 4096;
constexpr std::size_t kSmallBytesOfTwo = 1024;
// From this size on no cache keeps the values of two ranks until they are used.
constexpr std::size_t kLargeBytes = 16 << 20;

std::byte* data_of(const Tensor& values) { return static_cast<std::byte*>(values.data()); }

void copy(const Tensor& from, std::byte* to) {
  if (!from.empty()) std::memcpy(to, from.data(), from.bytes());
}
// Copies a part of `values`, which have not been read before: ordinary stores to large ones would read them first.
void copy(const std::byte* from, std::byte* to, std::size_t bytes, const Tensor& values) {
  if (values.bytes() >= kLargeBytes) {
    streaming_copy(to, from, bytes);
  } else if (bytes > 0) {
    std::memcpy(to, from, bytes);
  }
}
void copy(const std::byte* from, const Tensor& part, const Tensor& values) {
  copy(from, data_of(part), part.bytes(), values);
}

// The pieces of slices that one round moves, `bytes` of each slice at most.
class Pieces {
 public:
  Pieces(const Tensor& values, std::size_t bytes)
      : values_(values), most_(static_cast<std::int64_t>(bytes / size_of(values.dtype()))) {}

  Tensor of(FlatRange slice, std::int64_t round) const {
    const std::int64_t begin = std::min(slice.begin + round * most_, slice.end);
    return values_.flat({begin, std::min(begin + most_, slice.end)});
  }
  std::int64_t rounds(std::int64_t longest) const { return (longest + most_ - 1) / most_; }

 private:
  const Tensor& values_;
  std::int64_t most_;  // elements
};

std::int64_t longest_of(std::span<const FlatRange> slices) {
  return std::ranges::max(slices, {}, &FlatRange::count).count();
}

// Bytes of an area for each of the slices.
std::size_t share_of_area(int slices) {
  return RankBlock::kAreaBytes / static_cast<std::size_t>(slices) / kCacheLine * kCacheLine;
}

}  // namespace

TensorOperations::TensorOperations(Meeting& meeting, std::vector<int> members, std::shared_ptr<SharedRegions> regions)
    : meeting_(meeting),
      members_(std::move(members)),
      regions_(std::move(regions)),
      sources_(members_.size()),
      destinations_(members_.size()) {}

Call TensorOperations::call_of(Operation operation, const Tensor& values) const {
  Call call{.what = {.operation = operation, .dtype = values.dtype(), .count = values.count()}};
  if (values.bytes() <= (meeting_.size() <= 2 ? kSmallBytesOfTwo : kSmallBytes)) return call;
  const SharedRegions::Place place = regions_->place_of(values.data(), values.bytes());
  call.region = place.region;
  call.offset = place.offset;
  return call;
}

std::byte* TensorOperations::values_of(int peer) const {
  const Call& call = meeting_.call(peer);
  return regions_->at({call.region, call.offset}, members_[static_cast<std::size_t>(peer)]);
}

FlatRange TensorOperations::slice_of(const Tensor& values, int peer) const {
  return cache_line_slice(values.count(), values.dtype(), meeting_.size(), peer);
}

void TensorOperations::all_reduce(const Tensor& values) {
  const Call call = call_of(Operation::all_reduce, values);
  if (meeting_.size() <= 2 || values.bytes() <= kSmallBytes) {
    all_reduce_whole(call, values);
  } else {
    all_reduce_sliced(call, values);
  }
}

void TensorOperations::all_reduce_whole(const Call& call, const Tensor& values) {
  const Pieces pieces(values, RankBlock::kAreaBytes);
  const FlatRange all{0, values.count()};
  run_rounds(
      meeting_, call, pieces.rounds(all.count()),
      [&](std::int64_t round) { copy(pieces.of(all, round), meeting_.next_area()); },
      [&](std::int64_t round) {
        const Tensor piece = pieces.of(all, round);
        sum_areas(piece, 0, std::array{piece.data()});
      },
      [&] { sum_in_place(values, slice_of(values, meeting_.rank()), 0, meeting_.size()); });
}

void TensorOperations::all_reduce_sliced(const Call& call, const Tensor& values) {
  const int ranks = meeting_.size();
  const int rank = meeting_.rank();
  const std::size_t share = share_of_area(ranks);
  const Pieces pieces(values, share);
  const auto slice = [&](int peer) { return slice_of(values, peer); };
  run_rounds(
      meeting_, call, pieces.rounds(slice(0).count()),
      [&](std::int64_t round) {
        for (int peer = 0; peer < ranks; ++peer) {
          if (peer != rank) {
            copy(pieces.of(slice(peer), round), meeting_.next_area() + static_cast<std::size_t>(peer) * share);
          }
        }
      },
      [&](std::int64_t round) {
        const Tensor mine = pieces.of(slice(rank), round);
        sum_areas(mine, static_cast<std::size_t>(rank) * share,
                  std::array<void*, 2>{mine.data(), meeting_.next_area()});
        meeting_.meet();
        for (int peer = 0; peer < ranks; ++peer) {
          if (peer != rank) copy(meeting_.area(peer), pieces.of(slice(peer), round), values);
        }
      },
      [&] { sum_in_place(values, slice(rank), 0, ranks); });
}

void TensorOperations::reduce_scatter(const Tensor& values, std::span<const FlatRange> slices) {
  Call call = call_of(Operation::reduce_scatter, values);
  call.what.slices = hash_of(slices);
  const int rank = meeting_.rank();
  const FlatRange mine = slices[static_cast<std::size_t>(rank)];
  const std::size_t share = share_of_area(meeting_.size());
  const Pieces pieces(values, share);
  run_rounds(
      meeting_, call, pieces.rounds(longest_of(slices)),
      [&](std::int64_t round) {
        for (int peer = 0; peer < meeting_.size(); ++peer) {
          const auto place = static_cast<std::size_t>(peer);
          if (peer != rank) copy(pieces.of(slices[place], round), meeting_.next_area() + place * share);
        }
      },
      [&](std::int64_t round) {
        const Tensor piece = pieces.of(mine, round);
        sum_areas(piece, static_cast<std::size_t>(rank) * share, std::array{piece.data()});
      },
      [&] { sum_in_place(values, mine, rank, rank + 1); });
}

void TensorOperations::all_gather(const Tensor& values, std::span<const FlatRange> slices) {
  Call call = call_of(Operation::all_gather, values);
  call.what.slices = hash_of(slices);
  const Pieces pieces(values, RankBlock::kAreaBytes);
  const auto each_peer = [&](auto use) {
    for (int step = 1; step < meeting_.size(); ++step) {  // each rank begins with another one
      const int peer = (meeting_.rank() + step) % meeting_.size();
      use(peer, slices[static_cast<std::size_t>(peer)]);
    }
  };
  run_rounds(
      meeting_, call, pieces.rounds(longest_of(slices)),
      [&](std::int64_t round) {
        copy(pieces.of(slices[static_cast<std::size_t>(meeting_.rank())], round), meeting_.next_area());
      },
      [&](std::int64_t round) {
        each_peer([&](int peer, FlatRange slice) { copy(meeting_.area(peer), pieces.of(slice, round), values); });
      },
      [&] {
        each_peer([&](int peer, FlatRange slice) {
          const Tensor part = values.flat(slice);
          copy(values_of(peer) + (data_of(part) - data_of(values)), part, values);
        });
      });
}

void TensorOperations::broadcast(const Tensor& values, int root) {
  Call call = call_of(Operation::broadcast, values);
  call.what.root = root;
  const Pieces pieces(values, RankBlock::kAreaBytes);
  const FlatRange all{0, values.count()};
  const bool sends = meeting_.rank() == root;
  run_rounds(
      meeting_, call, pieces.rounds(all.count()),
      [&](std::int64_t round) {
        if (sends) copy(pieces.of(all, round), meeting_.next_area());
      },
      [&](std::int64_t round) {
        if (!sends) copy(meeting_.area(root), pieces.of(all, round), values);
      },
      [&] {
        const Tensor part = values.flat(slice_of(values, meeting_.rank()));
        const std::ptrdiff_t at = data_of(part) - data_of(values);
        for (int peer = 0; peer < meeting_.size(); ++peer) {
          if (peer != root) copy(values_of(root) + at, values_of(peer) + at, part.bytes(), values);
        }
      });
}

void TensorOperations::sum_in_place(const Tensor& values, FlatRange slice, int first, int last) {
  if (slice.empty()) return;
  const std::size_t offset = static_cast<std::size_t>(slice.begin) * size_of(values.dtype());
  for (int peer = 0; peer < meeting_.size(); ++peer) {
    const auto place = static_cast<std::size_t>(peer);
    destinations_[place] = values_of(peer) + offset;
    sources_[place] = destinations_[place];
  }
  const std::span<void* const> all(destinations_);
  sum_into(values.dtype(), sources_,
           all.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)), slice.count());
}

void TensorOperations::sum_areas(const Tensor& piece, std::size_t offset, std::span<void* const> destinations) {
  if (piece.empty()) return;
  for (int peer = 0; peer < meeting_.size(); ++peer) {
    sources_[static_cast<std::size_t>(peer)] = peer == meeting_.rank() ? piece.data() : meeting_.area(peer) + offset;
  }
  sum_into(piece.dtype(), sources_, destinations, piece.count());
}

}  // namespace lockstep
