// Guarantees of the shm communicator beyond collective/communicator_test.cc: values in its own memory and on the heap,
// in one piece and in many.
#include "collective/shm/shm_communicator.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "collective/slices.h"
#include "collective/tree_reference.h"
#include "support/shm_ranks.h"

namespace lockstep {
namespace {

// Element i of a rank's values, and the sum of all ranks' in their order.
template <class T>
T value(int rank, std::int64_t i) {
  return static_cast<T>(1) / static_cast<T>(i % 1009 + 7 * rank + 1);
}
template <class T>
T sum(int ranks, std::int64_t i) {
  T total = value<T>(0, i);
  for (int rank = 1; rank < ranks; ++rank) total += value<T>(rank, i);
  return total;
}

// Values in the allocator's memory (the communicator's or the heap), offset by three elements from its start.
struct Values {
  Values(Allocator& allocator, DType dtype, std::int64_t count)
      : buffer(allocator.allocate((static_cast<std::size_t>(count) + 3) * size_of(dtype))),
        tensor(view(buffer, dtype, {count + 3}).flat({3, count + 3})) {}

  Buffer buffer;
  Tensor tensor;
};

template <class T>
void set(const Tensor& tensor, int rank) {
  for (std::int64_t i = 0; i < tensor.count(); ++i) tensor.as<T>()[i] = value<T>(rank, i);
}

template <class T, class Expected>
std::int64_t differences(const Tensor& tensor, FlatRange range, Expected expected) {
  std::int64_t wrong = 0;
  for (std::int64_t i = range.begin; i < range.end; ++i) wrong += tensor.as<T>()[i] != expected(i);
  return wrong;
}

std::vector<std::int64_t> counts(int ranks) { return {1, ranks - 1, ranks + 1, 1000, 1025, 70'001, 200'003}; }

// Calls body(values) with values on the heap, in shared memory, and in shared memory on even ranks only.
template <class Body>
void for_each_memory(Communicator& communicator, DType dtype, std::int64_t count, Body body) {
  HostAllocator heap;
  Values shared(communicator.allocator(), dtype, count);
  Values mine(heap, dtype, count);
  body(mine.tensor);
  body(shared.tensor);
  body(communicator.rank() % 2 == 0 ? shared.tensor : mine.tensor);
}

template <class T>
void check_sums(Communicator& communicator) {
  const int ranks = communicator.size();
  for (const std::int64_t count : counts(ranks)) {
    CAPTURE(count);
    if (count == 0) continue;
    const std::vector<FlatRange> slices = equal_slices(count, ranks, 3);
    const FlatRange mine = slices[static_cast<std::size_t>(communicator.rank())];
    const auto total = [&](std::int64_t i) { return sum<T>(ranks, i); };
    for_each_memory(communicator, dtype_of<T>(), count, [&](const Tensor& tensor) {
      set<T>(tensor, communicator.rank());
      communicator.wait(communicator.all_reduce(tensor));
      CHECK(differences<T>(tensor, {0, count}, total) == 0);
      set<T>(tensor, communicator.rank());
      communicator.wait(communicator.reduce_scatter(tensor, slices));
      CHECK(differences<T>(tensor, mine, total) == 0);
      communicator.wait(communicator.all_gather(tensor, slices));
      CHECK(differences<T>(tensor, {0, count}, total) == 0);
    });
  }
}

// Returns the tree's sum of all leaves, with parts and result in separate buffers of `memory`; a rank with one part
// sums in place.
std::vector<float> tree_sum_in(Communicator& communicator, Allocator& memory, int leaves, std::int64_t count) {
  const TreePlan plan(leaves, communicator.size());
  std::size_t most = 0;
  for (int rank = 0; rank < communicator.size(); ++rank) most = std::max(most, plan.parts(rank).size());
  std::vector<Buffer> buffers;
  std::vector<Tensor> tensors;  // the same number on each rank: allocate() is COLLECTIVE
  for (std::size_t i = 0; i <= most; ++i) {
    buffers.push_back(memory.allocate(static_cast<std::size_t>(count) * sizeof(float)));
    tensors.push_back(view(buffers.back(), DType::float32, {count}));
  }
  const std::vector<TreePlan::Node>& parts = plan.parts(communicator.rank());
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (std::int64_t i = 0; i < count; ++i) {
      tensors[part].as<float>()[i] = tree_sum<float>(parts[part].begin, parts[part].end, i);
    }
  }
  const Tensor result = parts.size() == 1 ? tensors.front() : tensors.back();
  communicator.wait(communicator.tree_all_reduce(plan, std::span(tensors).first(parts.size()), result));
  return {result.as<float>(), result.as<float>() + count};
}

}  // namespace

TEST_CASE("the tree of --exact has its bits in shared memory, on the heap, and where ranks differ") {
  for_shm_ranks([](RankContext& context) {
    Communicator& communicator = context.communicator;
    HostAllocator heap;
    for (const int leaves : {8, 11}) {
      for (const std::int64_t count : {1, communicator.size() + 1, 20'003}) {
        CAPTURE(leaves);
        CAPTURE(count);
        const std::vector<float> expected = tree_sums<float>(leaves, count);
        CHECK((tree_sum_in(communicator, communicator.allocator(), leaves, count) == expected));
        CHECK((tree_sum_in(communicator, heap, leaves, count) == expected));
      }
    }
    const auto group = communicator.split(communicator.rank() % 2, 0);  // the other group does not see its memory
    const std::vector<float> expected = tree_sums<float>(8, 5'000);
    CHECK((tree_sum_in(communicator, group->allocator(), 8, 5'000) == expected));
    group->close();
  });
}

TEST_CASE("sums are those in rank order, bit by bit, whatever memory the values lie in") {
  for_shm_ranks([](RankContext& context) {
    check_sums<float>(context.communicator);
    check_sums<double>(context.communicator);
  });
}

TEST_CASE("broadcast of tensors, from each root") {
  for_shm_ranks([](RankContext& context) {
    Communicator& communicator = context.communicator;
    for (const std::int64_t count : {3, 5'003, 100'003}) {
      for_each_memory(communicator, DType::float32, count, [&](const Tensor& tensor) {
        for (int root = 0; root < communicator.size(); ++root) {
          set<float>(tensor, communicator.rank());
          communicator.wait(communicator.broadcast(tensor, root));
          const auto expected = [root](std::int64_t i) { return value<float>(root, i); };
          CHECK(differences<float>(tensor, {0, count}, expected) == 0);
        }
      });
    }
  });
}

TEST_CASE("values so large that copies go past the caches") {
  for_shm_ranks([](RankContext& context) {
    Communicator& communicator = context.communicator;
    if (communicator.size() > 3) return;
    constexpr std::int64_t kCount = (16 << 20) / 8 + 5;
    const std::vector<FlatRange> slices = equal_slices(kCount, communicator.size());
    for_each_memory(communicator, DType::float64, kCount, [&](const Tensor& tensor) {
      const std::span<double> values = tensor.span<double>();
      std::ranges::fill(values, communicator.rank() + 1);
      communicator.wait(communicator.all_gather(tensor, slices));
      std::int64_t wrong = 0;
      for (std::size_t rank = 0; rank < slices.size(); ++rank) {
        const auto expected = static_cast<double>(rank + 1);
        wrong += slices[rank].count() -
                 std::count(values.begin() + slices[rank].begin, values.begin() + slices[rank].end, expected);
      }
      CHECK(wrong == 0);
      std::ranges::fill(values, communicator.rank() + 1);
      communicator.wait(communicator.broadcast(tensor, communicator.size() - 1));
      CHECK(std::ranges::count(values, static_cast<double>(communicator.size())) == kCount);
    });
  });
}

TEST_CASE("slices of any length, empty ones too") {
  for_shm_ranks([](RankContext& context) {
    Communicator& communicator = context.communicator;
    constexpr std::int64_t kCount = 90'001;
    std::vector<FlatRange> slices(static_cast<std::size_t>(communicator.size()));
    std::int64_t end = 0;
    for (std::size_t rank = 0; rank < slices.size(); ++rank) {  // nearly all for the last, 1 or 0 for the others
      const std::int64_t begin = end;
      end = rank + 1 == slices.size() ? kCount : begin + static_cast<std::int64_t>(rank % 2);
      slices[rank] = {begin, end};
    }
    const FlatRange mine = slices[static_cast<std::size_t>(communicator.rank())];
    for_each_memory(communicator, DType::float32, kCount, [&](const Tensor& tensor) {
      set<float>(tensor, communicator.rank());
      communicator.wait(communicator.reduce_scatter(tensor, slices));
      const auto total = [&](std::int64_t i) { return sum<float>(communicator.size(), i); };
      CHECK(differences<float>(tensor, mine, total) == 0);
      communicator.wait(communicator.all_gather(tensor, slices));
      CHECK(differences<float>(tensor, {0, kCount}, total) == 0);
    });
  });
}

TEST_CASE("bytes beyond one area: all_gather and exchange") {
  for_shm_ranks([](RankContext& context) {
    Communicator& communicator = context.communicator;
    const int size = communicator.size();
    constexpr std::size_t kInts = 150'003;
    const std::vector<int> mine(kInts, communicator.rank());
    std::vector<int> all(kInts * static_cast<std::size_t>(size));
    communicator.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
    std::vector<SendPiece> sends;
    std::vector<ReceivePiece> receives;
    std::vector<int> inbox(all.size(), -1);
    for (int peer = 0; peer < size; ++peer) {
      const auto place = static_cast<std::size_t>(peer) * kInts;
      CHECK(std::ranges::count(std::span(all).subspan(place, kInts), peer) == kInts);
      sends.push_back({(peer + 1) % size, std::as_bytes(std::span(mine).first(kInts - 1))});
      receives.push_back({peer, std::as_writable_bytes(std::span(inbox).subspan(place, kInts - 1))});
    }
    communicator.exchange(sends, receives);
    for (int peer = 0; peer < size; ++peer) {
      const auto place = static_cast<std::size_t>(peer) * kInts;
      CHECK(std::ranges::count(std::span(inbox).subspan(place, kInts), peer) == kInts - 1);
    }
  });
}

TEST_CASE("a part works in place on memory of the whole group's allocator, and on its own") {
  for_shm_ranks([](RankContext& context) {
    Communicator& whole = context.communicator;
    constexpr std::int64_t kCount = 50'001;
    Values shared(whole.allocator(), DType::float32, kCount);
    const auto part = whole.split(whole.rank() % 2, whole.rank());
    const auto check = [&](const Tensor& tensor) {
      set<float>(tensor, whole.rank());
      part->wait(part->all_reduce(tensor));
      const auto total = [&](std::int64_t i) {
        float added = 0;
        for (int rank = whole.rank() % 2; rank < whole.size(); rank += 2) added += value<float>(rank, i);
        return added;
      };
      CHECK(differences<float>(tensor, {0, kCount}, total) == 0);
    };
    check(shared.tensor);
    Values own(part->allocator(), DType::float32, kCount);
    check(own.tensor);
    part->close();
  });
}

TEST_CASE("memory is freed by each rank when it likes, also after its communicator") {
  for_shm_ranks([](RankContext& context) {
    Buffer later;
    {
      const auto part = context.communicator.split(0, context.communicator.rank());
      later = part->allocator().allocate(10'000);
      const Buffer first = part->allocator().allocate(20'000);
      CHECK(part->allocator().allocate(0).data() == nullptr);
      part->close();
    }
    const auto* bytes = static_cast<const std::byte*>(later.data());
    CHECK(std::all_of(bytes, bytes + later.bytes(), [](std::byte byte) { return byte == std::byte{0}; }));
    CHECK(reinterpret_cast<std::uintptr_t>(bytes) % 64 == 0);
  });
}

}  // namespace lockstep
