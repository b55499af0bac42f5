#include "collective/shm/shm_communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/cpu_affinity.h"
#include "collective/blocking_communicator.h"
#include "collective/shm/common_allocator.h"
#include "collective/shm/meeting.h"
#include "collective/shm/peer_process.h"
#include "collective/shm/shared_allocator.h"
#include "collective/shm/staged_exchange.h"
#include "collective/shm/staged_gather.h"
#include "collective/shm/tensor_operations.h"
#include "collective/shm/tree_in_place.h"

namespace lockstep {
namespace {

// Not a split's number: those are counted from 1. All shm communicators that a process makes, but those of split(),
// share the group number that it gives, and one of them lives at a time.
constexpr std::uint32_t kNthSplit = 0;

// Takes a zeroed piece of memory, which is a valid block.
std::shared_ptr<RankBlock> block_of(const std::shared_ptr<std::byte>& piece) {
  return {piece, reinterpret_cast<RankBlock*>(piece.get())};
}

class ShmCommunicator final : public BlockingCommunicator {
 public:
  ShmCommunicator(Meeting::Group group, const SharedAllocator::Place& place, Trace& trace)
      : BlockingCommunicator(group.rank, static_cast<int>(group.blocks.size()), trace, place.group),
        place_(place),
        meeting_(std::move(group)),
        allocator_(meeting_, place),
        common_(meeting_, place.sharing),
        tensors_(meeting_, place.members, place.regions),
        tree_(meeting_, place.members, place.regions) {}

  ~ShmCommunicator() override {
    if (!closed_) abandon();
  }
  ShmCommunicator(const ShmCommunicator&) = delete;
  ShmCommunicator& operator=(const ShmCommunicator&) = delete;

  const char* name() const override { return "shm"; }
  Allocator& allocator() override { return allocator_; }
  Allocator* common_memory() override { return size() == 1 ? &allocator() : &common_; }
  void abandon() noexcept override {
    meeting_.poison(fmt::format("rank {} ({}) gave up", meeting_.job_rank(rank()), ShmCommunicator::name()));
  }

 private:
  // Empty operations have no meeting of their own, at which calls are compared.
  void check_call(const CollectiveCall& call) override {
    dtype_ = call.dtype;
    if (call.count == 0) meeting_.meet({.what = call});
  }

  void do_all_reduce(const Tensor& values) override { tensors_.all_reduce(values); }
  void do_reduce_scatter(const Tensor& values, std::span<const FlatRange> slices) override {
    tensors_.reduce_scatter(values, slices);
  }
  void do_gather_slices(const Tensor& values, std::span<const FlatRange> slices) override {
    tensors_.all_gather(values, slices);
  }
  bool do_tree_all_reduce(const TreePlan& plan, std::span<const Tensor> parts, const Tensor& result) override {
    return tree_.run(plan, parts, result);
  }
  void do_barrier() override { meeting_.meet({.what = {.operation = Operation::barrier}}); }
  void do_broadcast(std::span<std::byte> bytes, int root) override {
    tensors_.broadcast({bytes.data(), dtype_, {static_cast<std::int64_t>(bytes.size() / size_of(dtype_))}}, root);
  }
  void do_all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    gather_over(meeting_, Operation::all_gather)(mine, all);
  }
  void do_exchange(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) override {
    staged_exchange(meeting_, sends, receives);
  }
  std::unique_ptr<Communicator> do_split(int color, int key, std::uint32_t group) override;
  void do_close() override { closed_ = true; }

  SharedAllocator::Place place_;
  Meeting meeting_;
  SharedAllocator allocator_;
  CommonAllocator common_;
  TensorOperations tensors_;
  TreeInPlace tree_;
  DType dtype_ = DType::uint8;  // type of the operation under way
  bool closed_ = false;
};

std::unique_ptr<Communicator> ShmCommunicator::do_split(int color, int key, std::uint32_t group) {
  struct SplitRequest {
    int color, key, rank;
  };
  const Gather gather = gather_over(meeting_, Operation::split);
  const SplitRequest mine{color, key, rank()};
  std::vector<SplitRequest> members(static_cast<std::size_t>(size()));
  gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(members)));
  std::erase_if(members, [color](const SplitRequest& request) { return request.color != color || color < 0; });
  std::ranges::stable_sort(members, {}, &SplitRequest::key);

  std::vector<int> ranks;
  ranks.reserve(members.size());
  for (const SplitRequest& request : members) ranks.push_back(request.rank);
  const SharedMemory shared = share_memory(gather, rank(), meeting_.group().job_ranks, place_.sharing,
                                           ranks.empty() ? 0 : sizeof(RankBlock), ranks);
  if (!shared.why_not.empty()) refuse(shared);
  if (ranks.empty()) return nullptr;

  Meeting::Group part;
  part.rank = static_cast<int>(std::ranges::find(ranks, rank()) - ranks.begin());
  part.inherited = meeting_.poisons();
  part.crowded = meeting_.group().crowded;
  part.drive = meeting_.group().drive;
  SharedAllocator::Place place{place_.sharing, group, {}, place_.regions};
  for (const int member : ranks) {
    const auto index = static_cast<std::size_t>(member);
    part.blocks.push_back(block_of(shared.pieces[index]));
    part.processes.push_back(meeting_.group().processes[index]);
    part.job_ranks.push_back(meeting_.job_rank(member));
    place.members.push_back(place_.members[index]);
  }
  return std::make_unique<ShmCommunicator>(std::move(part), place, trace());
}

}  // namespace

ShmResult make_shm_communicator(Communicator& group, Trace& trace, Sharing sharing, std::function<void()> drive) {
  const std::vector<ProcessPlace> places = all_gather_value(group, this_process());
  for (const ProcessPlace& place : places) {
    if (place.host == places.front().host) continue;
    return {nullptr,
            fmt::format("the ranks are on several hosts ({} and {})", places.front().host.data(), place.host.data())};
  }
  std::vector<int> members(places.size());
  std::iota(members.begin(), members.end(), 0);
  const Gather gather = [&group](std::span<const std::byte> mine, std::span<std::byte> all) {
    group.all_gather(mine, all);
  };
  std::vector<int> job_ranks = all_gather_value(group, trace.line().rank.load());
  SharedMemory shared = share_memory(gather, group.rank(), job_ranks, sharing, sizeof(RankBlock), members);
  if (!shared.why_not.empty()) return {nullptr, std::move(shared.why_not)};

  Meeting::Group meeting;
  meeting.rank = group.rank();
  meeting.crowded = group.size() > host_cores();
  meeting.drive = std::move(drive);
  meeting.job_ranks = std::move(job_ranks);
  for (const int rank : members) {
    const auto index = static_cast<std::size_t>(rank);
    meeting.blocks.push_back(block_of(shared.pieces[index]));
    meeting.processes.push_back(sharing == Sharing::in_process ? std::make_shared<PeerProcess>()
                                                               : std::make_shared<PeerProcess>(places[index]));
  }
  const std::uint32_t number = split_group(kWorldGroup, kNthSplit, 0);
  SharedAllocator::Place place{sharing, number, std::move(members), std::make_shared<SharedRegions>()};
  return {std::make_unique<ShmCommunicator>(std::move(meeting), place, trace), ""};
}

}  // namespace lockstep
