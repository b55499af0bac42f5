#include "collective/nccl/nccl_communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/environment.h"
#include "base/error.h"
#include "collective/abandon_guard.h"
#include "collective/host_staged_communicator.h"
#include "collective/nccl/nccl_allocator.h"
#include "collective/nccl/nccl_calls.h"
#include "collective/nccl/nccl_description.h"
#include "collective/nccl/nccl_operations.h"
#include "collective/nccl/nccl_rank.h"
#include "collective/nccl/nccl_version.h"
#include "collective/slices.h"
#include "tensor/dtype.h"

namespace lockstep {
namespace {

// Splits are counted from 1, and shm has color 0 of split 0.
constexpr std::uint32_t kNthSplit = 0;
constexpr int kColor = 1;

// Bytes of the first sum: less memory would not be registered, and NCCL's choices for more are the same.
constexpr std::int64_t kLeastTrial = 64 << 10;
constexpr std::int64_t kMostTrial = 64 << 20;

const char* name_of(NcclAlgorithm algorithm) { return algorithm == NcclAlgorithm::ring ? "ring" : "nccl"; }

NcclRank::Memory memory_for(NcclAlgorithm algorithm) {
  return algorithm == NcclAlgorithm::ring ? NcclRank::Memory::plain : NcclRank::Memory::windows;
}

// Returns whether all have the same length.
bool equal(std::span<const FlatRange> slices) {
  return std::ranges::all_of(slices, [&](FlatRange slice) { return slice.count() == slices.front().count(); });
}

class OwnedStream {
 public:
  explicit OwnedStream(int gpu) {
    select_gpu(gpu);
    stream_ = create_stream();
  }
  ~OwnedStream() { destroy_stream(stream_); }
  OwnedStream(const OwnedStream&) = delete;
  OwnedStream& operator=(const OwnedStream&) = delete;

  GpuStream get() const { return stream_; }

 private:
  GpuStream stream_;
};

class NcclCommunicator final : public Communicator {
 public:
  // host: of the same ranks; takes bytes, and tensors of the GPU for the exact tree. group: for hang verdicts.
  NcclCommunicator(std::unique_ptr<Communicator> host, const NcclParts& parts, std::uint32_t group)
      : host_(std::move(host)),
        backend_(parts.backend),
        trace_(parts.trace),
        algorithm_(parts.algorithm),
        drive_(parts.drive),
        hosts_(parts.hosts),
        summation_(
            fmt::format("{} of {}, NCCL {}", name_of(algorithm_), hosts_, nccl_version_text(loaded_nccl_version()))),
        membership_(trace_, group),
        stream_(backend_.device().index),
        nccl_(NcclRank::join(*host_, backend_.device().index, memory_for(algorithm_), drive_)),
        allocator_(nccl_, *host_, backend_.allocator()),
        operations_(
            nccl_->gpu(), stream_.get(), [nccl = nccl_] { return nccl->check(); }, drive_) {}

  ~NcclCommunicator() override {
    if (open_) abandon();
  }
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  const char* name() const override { return name_of(algorithm_); }
  std::string summation() const override { return summation_; }
  bool scatters_alike() const override { return size() == 1; }
  std::string details() const override {
    const NcclRank::Registered memory = nccl_->registered();
    return describe({.name = name(),
                     .version = loaded_nccl_version(),
                     .hosts = hosts_,
                     .windows = memory.windows,
                     .buffers = memory.buffers,
                     .variables = variables_with_prefix("NCCL_")});
  }

  // Sums `bytes` bytes, in memory like a run's: NCCL connects the ranks in their first operation, which may take
  // seconds. COLLECTIVE.
  void connect_ranks(std::int64_t bytes, DType dtype) {
    const Buffer memory = allocator_.allocate(static_cast<std::size_t>(bytes));
    const AbandonGuard guard(*this);
    const std::int64_t count = bytes / static_cast<std::int64_t>(size_of(dtype));
    wait(all_reduce(view(memory, dtype, {count}), backend_.record()));
    backend_.synchronize();
    host_->barrier();  // others may read this rank's memory
  }

  int rank() const override { return host_->rank(); }
  int size() const override { return host_->size(); }
  Allocator& allocator() override { return allocator_; }
  Allocator* common_memory() override { return size() == 1 ? &allocator() : nullptr; }

  Ticket all_reduce(const Tensor& values, Event after) override {
    check_summable(values);
    return start(Operation::all_reduce, values, after,
                 [&](NcclComm comm) { nccl_all_reduce(values, comm, stream_.get()); });
  }

  // NCCL knows slices of one length; others are operations of their own, in one group.
  Ticket reduce_scatter(const Tensor& values, std::span<const FlatRange> slices, Event after) override {
    check_summable(values);
    check_slices(values.count(), slices, size());
    return start(Operation::reduce_scatter, values, after, [&](NcclComm comm) {
      if (equal(slices)) return nccl_reduce_scatter(values, rank(), size(), comm, stream_.get());
      for_slices(values, slices, comm,
                 [&](const Tensor& slice, int owner) { nccl_reduce(slice, owner, comm, stream_.get()); });
    });
  }

  Ticket all_gather(const Tensor& values, std::span<const FlatRange> slices, Event after) override {
    check_home(values);
    check_slices(values.count(), slices, size());
    return start(Operation::all_gather, values, after, [&](NcclComm comm) {
      if (equal(slices)) return nccl_all_gather(values, rank(), size(), comm, stream_.get());
      for_slices(values, slices, comm,
                 [&](const Tensor& slice, int owner) { nccl_broadcast(slice, owner, comm, stream_.get()); });
    });
  }

  Ticket broadcast(const Tensor& values, int root, Event after) override {
    check_home(values);
    LS_CHECK(0 <= root && root < size(), fmt::format("root {} of {} ranks", root, size()));
    return start(Operation::broadcast, values, after,
                 [&](NcclComm comm) { nccl_broadcast(values, root, comm, stream_.get()); });
  }

  // NCCL has no sum in the tree's order of additions.
  Ticket tree_all_reduce(const TreePlan& plan, std::span<const Tensor> parts, const Tensor& result) override {
    host_->wait(host_->tree_all_reduce(plan, parts, result));
    return {};
  }

  void wait(Ticket ticket) override {
    if (ticket.number == 0) return;
    nccl_->check_alive();
    backend_.wait(operations_.event(ticket.number));
  }

  // NCCL's operations are captured as those of any stream, on all ranks or on none.
  bool works_in_graphs() const override { return true; }

  void barrier() override { host_->barrier(); }
  void broadcast(std::span<std::byte> bytes, int root) override { host_->broadcast(bytes, root); }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override { host_->all_gather(mine, all); }
  void exchange(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) override {
    host_->exchange(sends, receives);
  }

  std::unique_ptr<Communicator> split(int color, int key) override {
    auto part = host_->split(color, key);
    const std::uint32_t group = split_group(membership_.group(), ++splits_, color);
    if (part == nullptr) return nullptr;
    const NcclParts parts{.group = *part,
                          .trace = trace_,
                          .backend = backend_,
                          .algorithm = algorithm_,
                          .drive = drive_,
                          .hosts = fmt::format("{} ranks", part->size())};
    return std::make_unique<NcclCommunicator>(std::move(part), parts, group);
  }

  void close() override {
    check_open();
    select_gpu(nccl_->gpu());
    synchronize_stream(stream_.get());
    nccl_->close();
    host_->close();
    open_ = false;
  }

  void abandon() noexcept override {
    nccl_->abort(fmt::format("rank {} of {} gave up", rank(), size()));
    host_->abandon();
  }

 private:
  void check_open() const { LS_CHECK(open_, fmt::format("rank {} of {} has closed its communicator", rank(), size())); }

  void check_home(const Tensor& values) const {
    check_open();
    LS_CHECK(values.empty() || values.device() == backend_.device(),
             fmt::format("the values lie on {}, this communicator is of {}", values.device().text(),
                         backend_.device().text()));
  }
  void check_summable(const Tensor& values) const {
    LS_CHECK(summable(values.dtype()), fmt::format("there are no sums of {}", lockstep::name(values.dtype())));
    check_home(values);
  }

  // Queues the calls of NCCL into the stream, after the event.
  template <class Calls>
  Ticket start(Operation operation, const Tensor& values, Event after, const Calls& calls) {
    if (values.empty()) return {};
    select_gpu(nccl_->gpu());
    auto mark = trace_.begin(operation, static_cast<std::int64_t>(values.bytes()), membership_.group());
    if (after.handle != nullptr) wait_for_event(stream_.get(), after);
    nccl_->call(calls);
    const std::uint64_t number = operations_.add(std::move(mark));
    if (operations_.first_of_graph()) backend_.after_graph([this] { follow_graph(); });
    return {number};
  }

  void follow_graph() {
    select_gpu(nccl_->gpu());
    wait_for_event(stream_.get(), backend_.record());
    operations_.end_graph();
  }

  // NCCL's operation on each slice that is not empty, in one group.
  template <class Call>
  void for_slices(const Tensor& values, std::span<const FlatRange> slices, NcclComm comm, const Call& call) {
    begin_nccl_group();
    try {
      for (int owner = 0; owner < size(); ++owner) {
        const Tensor slice = values.flat(slices[static_cast<std::size_t>(owner)]);
        if (!slice.empty()) call(slice, owner);
      }
    } catch (const Error&) {
      drop_nccl_group();
      throw;
    }
    end_nccl_group(comm);
  }

  std::unique_ptr<Communicator> host_;
  Backend& backend_;
  Trace& trace_;
  NcclAlgorithm algorithm_;
  std::function<void()> drive_;
  std::string hosts_;
  std::string summation_;
  Trace::Membership membership_;
  std::uint32_t splits_ = 0;  // so far
  OwnedStream stream_;
  std::shared_ptr<NcclRank> nccl_;
  NcclAllocator allocator_;
  NcclOperations operations_;
  bool open_ = true;
};

}  // namespace

std::unique_ptr<Communicator> make_nccl_communicator(const NcclParts& parts) {
  if (parts.algorithm == NcclAlgorithm::ring) {
    if (const std::string why = first_text(parts.group, pin_nccl_ring()); !why.empty()) {
      throw Error(ExitCode::configuration, why, Scope::every_rank);
    }
  }
  auto host = make_host_staged_communicator(parts.group.split(0, parts.group.rank()), parts.backend);
  auto communicator =
      std::make_unique<NcclCommunicator>(std::move(host), parts, split_group(kWorldGroup, kNthSplit, kColor));
  if (parts.bytes > 0) communicator->connect_ranks(std::clamp(parts.bytes, kLeastTrial, kMostTrial), parts.dtype);
  return communicator;
}

}  // namespace lockstep
