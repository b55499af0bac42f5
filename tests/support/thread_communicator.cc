#include "support/thread_communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "collective/blocking_communicator.h"
#include "collective/shm/memory_file.h"
#include "collective/slices.h"
#include "collective/sum_kernels.h"
#include "support/thread_group.h"

namespace lockstep {
namespace {

void copy_bytes(std::span<const std::byte> from, std::byte* to) {
  if (!from.empty() && from.data() != to) std::memcpy(to, from.data(), from.size());
}

// Allocates memory that all ranks share: rank 0's heap memory.
class ThreadCommonAllocator final : public Allocator {
 public:
  explicit ThreadCommonAllocator(Communicator& ranks) : ranks_(ranks) {}

  Device device() const override { return {}; }
  bool is_common() const override { return true; }

  Buffer allocate(std::size_t bytes) override {
    struct Piece {
      const std::shared_ptr<std::byte>* memory;
      std::size_t bytes;
    };
    if (bytes == 0) return {};
    std::shared_ptr<std::byte> mine;
    if (ranks_.rank() == 0) mine = heap_memory(bytes);
    Piece piece{&mine, bytes};
    broadcast_value(ranks_, piece, 0);
    LS_CHECK(piece.bytes == bytes, fmt::format("{} bytes of memory of which rank 0 has {}", bytes, piece.bytes));
    if (ranks_.rank() != 0) mine = *piece.memory;
    ranks_.barrier();
    std::byte* const memory = mine.get();
    return {memory, bytes, device(), [mine = std::move(mine)](void* /*data*/) mutable { mine.reset(); }};
  }

 private:
  Communicator& ranks_;
};

class ThreadCommunicator final : public BlockingCommunicator {
 public:
  ThreadCommunicator(std::shared_ptr<ThreadGroup> group, int rank, int size, Trace& trace, std::uint32_t number)
      : BlockingCommunicator(rank, size, trace, number), group_(std::move(group)) {}

  const char* name() const override { return "thread"; }
  Allocator* common_memory() override { return size() == 1 ? &allocator() : &common_; }

  void abandon() noexcept override { group_->poison(who() + " gave up"); }

 private:
  void check_call(const CollectiveCall& call) override {
    call_ = call;
    // These make no offer of their own at which the call would be compared.
    if (call.count == 0 || call.operation == Operation::tree_all_reduce) meet();
  }

  void do_all_reduce(const Tensor& values) override {
    offer(values.data());
    sum_slice(values, equal_slice(values.count(), size(), rank()), 0, size());
    done();
  }

  void do_reduce_scatter(const Tensor& values, std::span<const FlatRange> slices) override {
    offer(values.data());
    sum_slice(values, slices[static_cast<std::size_t>(rank())], rank(), rank() + 1);
    done();
  }

  void do_gather_slices(const Tensor& values, std::span<const FlatRange> slices) override {
    offer(values.data());
    for (int peer = 0; peer < size(); ++peer) {
      const Tensor slice = values.flat(slices[static_cast<std::size_t>(peer)]);
      copy_bytes({static_cast<const std::byte*>(theirs(peer, slice, values)), slice.bytes()},
                 static_cast<std::byte*>(slice.data()));
    }
    done();
  }

  void do_barrier() override { meet(); }

  void do_broadcast(std::span<std::byte> bytes, int root) override {
    offer(bytes.data());
    copy_bytes({group_->offered<std::byte>(root), bytes.size()}, bytes.data());
    done();
  }

  void do_all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    offer(mine.data());
    for (int peer = 0; peer < size(); ++peer) {
      copy_bytes({group_->offered<std::byte>(peer), mine.size()},
                 all.data() + static_cast<std::size_t>(peer) * mine.size());
    }
    done();
  }

  void do_exchange(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) override {
    group_->offer(rank(), {{.operation = Operation::exchange}, &sends});  // also for a part of a tree
    std::string misfit;
    std::vector<std::size_t> seen(static_cast<std::size_t>(size()), 0);  // pieces looked at, per sender
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
    struct SplitRequest {
      int color, key, rank;
    };
    const SplitRequest mine{color, key, rank()};
    offer(&mine);
    std::vector<SplitRequest> members;
    for (int peer = 0; peer < size(); ++peer) {
      if (const SplitRequest& request = *group_->offered<const SplitRequest>(peer); request.color == color) {
        members.push_back(request);
      }
    }
    std::ranges::stable_sort(members, {}, &SplitRequest::key);
    const auto first = static_cast<std::size_t>(members.front().rank);
    const int count = static_cast<int>(members.size());
    if (members.front().rank == rank()) group_->born[first] = std::make_shared<ThreadGroup>(group_->world(), count);
    done();
    std::shared_ptr<ThreadGroup> group = group_->born[first];
    done();
    if (color < 0) return nullptr;
    const auto place = std::ranges::find(members, rank(), &SplitRequest::rank) - members.begin();
    return std::make_unique<ThreadCommunicator>(std::move(group), static_cast<int>(place), count, trace(), number);
  }

  void do_close() override {}

  // Waits until all ranks offer the call that was checked last.
  void offer(const void* what) { group_->offer(rank(), {call_, what}); }
  void done() { group_->done(rank(), call_.operation); }
  void meet() {
    offer(nullptr);
    done();
  }

  // Returns the address in another rank's values that corresponds to `slice` in this rank's.
  void* theirs(int peer, const Tensor& slice, const Tensor& values) const {
    return group_->offered<std::byte>(peer) +
           (static_cast<std::byte*>(slice.data()) - static_cast<std::byte*>(values.data()));
  }

  // Sums this rank's slice of all ranks' values, in the order of ranks, and writes it to ranks [first, last): no other
  // rank touches it.
  void sum_slice(const Tensor& values, FlatRange range, int first, int last) {
    const Tensor slice = values.flat(range);
    all_.clear();
    for (int peer = 0; peer < size(); ++peer) all_.push_back(theirs(peer, slice, values));
    sources_.assign(all_.begin(), all_.end());
    sum_into(values.dtype(), sources_, {all_.begin() + first, all_.begin() + last}, slice.count());
  }

  std::shared_ptr<ThreadGroup> group_;
  ThreadCommonAllocator common_{*this};
  CollectiveCall call_;
  std::vector<void*> all_;  // of sum_slice, kept so that a training step allocates nothing
  std::vector<const void*> sources_;
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
