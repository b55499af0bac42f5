#include "support/thread_communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "collective/blocking_communicator.h"
#include "collective/slices.h"
#include "support/thread_group.h"

namespace lockstep {
namespace {

// A slice of everyone's values, summed in the order of ranks and given to ranks [first, last): no other rank touches
// it.
template <class T>
void sum_slice(const ThreadGroup& group, int ranks, FlatRange slice, int first, int last) {
  for (std::int64_t i = slice.begin; i < slice.end; ++i) {
    T sum = group.offered<T>(0)[i];
    for (int peer = 1; peer < ranks; ++peer) sum += group.offered<T>(peer)[i];
    for (int peer = first; peer < last; ++peer) group.offered<T>(peer)[i] = sum;
  }
}

void copy_bytes(std::span<const std::byte> from, std::byte* to) {
  if (!from.empty() && from.data() != to) std::memcpy(to, from.data(), from.size());
}

class ThreadCommunicator final : public BlockingCommunicator {
 public:
  ThreadCommunicator(std::shared_ptr<ThreadGroup> group, int rank, int size, Trace& trace, std::uint32_t number)
      : BlockingCommunicator(rank, size, trace, number), group_(std::move(group)) {}

  const char* name() const override { return "thread"; }

  void abandon() noexcept override { group_->poison(who() + " gave up"); }

 private:
  void do_all_reduce(const Tensor& values) override {
    group_->offer(rank(), {Operation::all_reduce, static_cast<std::int64_t>(values.bytes()),
                           static_cast<int>(values.dtype()), values.data()});
    const auto sum = values.dtype() == DType::float32 ? sum_slice<float> : sum_slice<double>;
    const auto slices = equal_slices(values.count(), size());
    sum(*group_, size(), slices[static_cast<std::size_t>(rank())], 0, size());
    group_->done(rank(), Operation::all_reduce);
  }

  void do_reduce_scatter(const Tensor& values, std::span<const FlatRange> slices) override {
    group_->offer(rank(), {Operation::reduce_scatter, static_cast<std::int64_t>(values.bytes()),
                           static_cast<int>(values.dtype()), values.data()});
    const auto sum = values.dtype() == DType::float32 ? sum_slice<float> : sum_slice<double>;
    sum(*group_, size(), slices[static_cast<std::size_t>(rank())], rank(), rank() + 1);
    group_->done(rank(), Operation::reduce_scatter);
  }

  void do_gather_slices(const Tensor& values, std::span<const FlatRange> slices) override {
    group_->offer(rank(), {Operation::all_gather, static_cast<std::int64_t>(values.bytes()),
                           static_cast<int>(values.dtype()), values.data()});
    for (int peer = 0; peer < size(); ++peer) {
      const Tensor slice = values.flat(slices[static_cast<std::size_t>(peer)]);
      const std::byte* theirs = group_->offered<std::byte>(peer);
      const auto offset = static_cast<std::byte*>(slice.data()) - static_cast<std::byte*>(values.data());
      copy_bytes({theirs + offset, slice.bytes()}, static_cast<std::byte*>(slice.data()));
    }
    group_->done(rank(), Operation::all_gather);
  }

  void do_barrier() override {
    group_->offer(rank(), {Operation::barrier, 0, 0, nullptr});
    group_->done(rank(), Operation::barrier);
  }

  void do_broadcast(std::span<std::byte> bytes, int root) override {
    group_->offer(rank(), {Operation::broadcast, static_cast<std::int64_t>(bytes.size()), root, bytes.data()});
    copy_bytes({group_->offered<std::byte>(root), bytes.size()}, bytes.data());
    group_->done(rank(), Operation::broadcast);
  }

  void do_all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    group_->offer(rank(), {Operation::all_gather, static_cast<std::int64_t>(mine.size()), 0, mine.data()});
    for (int peer = 0; peer < size(); ++peer) {
      copy_bytes({group_->offered<std::byte>(peer), mine.size()},
                 all.data() + static_cast<std::size_t>(peer) * mine.size());
    }
    group_->done(rank(), Operation::all_gather);
  }

  void do_exchange(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) override {
    group_->offer(rank(), {Operation::exchange, 0, 0, &sends});
    std::string misfit;
    std::vector<std::size_t> seen(static_cast<std::size_t>(size()), 0);  // pieces looked at, of each sender
    for (const ReceivePiece& piece : receives) {
      const auto& outbox = *group_->offered<const std::span<const SendPiece>>(piece.from);
      std::size_t& at = seen[static_cast<std::size_t>(piece.from)];
      while (at < outbox.size() && outbox[at].to != rank()) ++at;
      if (at == outbox.size() || outbox[at].bytes.size() != piece.bytes.size()) {
        misfit = fmt::format("exchange: {} awaits {} bytes from rank {}, which sends {}", who(), piece.bytes.size(),
                             piece.from, at == outbox.size() ? "no more" : std::to_string(outbox[at].bytes.size()));
        break;
      }
      copy_bytes(outbox[at++].bytes, piece.bytes.data());
    }
    group_->done(rank(), Operation::exchange);
    if (!misfit.empty()) group_->fail_all(misfit);
  }

  std::unique_ptr<Communicator> do_split(int color, int key, std::uint32_t number) override {
    struct Wish {
      int color, key, rank;
    };
    const Wish mine{color, key, rank()};
    group_->offer(rank(), {Operation::split, 0, 0, &mine});
    std::vector<Wish> members;
    for (int peer = 0; peer < size(); ++peer) {
      if (const Wish& wish = *group_->offered<const Wish>(peer); wish.color == color) members.push_back(wish);
    }
    std::ranges::stable_sort(members, {}, &Wish::key);
    const auto first = static_cast<std::size_t>(members.front().rank);
    const int count = static_cast<int>(members.size());
    if (members.front().rank == rank()) group_->born[first] = std::make_shared<ThreadGroup>(group_->world(), count);
    group_->done(rank(), Operation::split);
    std::shared_ptr<ThreadGroup> group = group_->born[first];
    group_->done(rank(), Operation::split);
    if (color < 0) return nullptr;
    const auto place = std::ranges::find(members, rank(), &Wish::rank) - members.begin();
    return std::make_unique<ThreadCommunicator>(std::move(group), static_cast<int>(place), count, trace(), number);
  }

  void do_close() override {}

  std::shared_ptr<ThreadGroup> group_;
};

}  // namespace

ThreadWorld::ThreadWorld(int size, std::chrono::milliseconds timeout)
    : size_(size), group_(std::make_shared<ThreadGroup>(std::make_shared<ThreadGroup::World>(timeout), size)) {}

std::unique_ptr<Communicator> ThreadWorld::communicator(int rank, Trace& trace) {
  LS_CHECK(0 <= rank && rank < size_, fmt::format("rank {} in a world of {} threads", rank, size_));
  return std::make_unique<ThreadCommunicator>(group_, rank, size_, trace, kWorldGroup);
}

void ThreadWorld::poison(const std::string& message) noexcept { group_->poison(message); }

std::string ThreadWorld::poison_message() const {
  const std::scoped_lock lock(group_->world()->mutex);
  return group_->world()->poison;
}

}  // namespace lockstep
