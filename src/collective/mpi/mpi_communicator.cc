#include "collective/mpi/mpi_communicator.h"

#include <algorithm>
#include <string>
#include <vector>

#include "collective/blocking_communicator.h"
#include "collective/exchange_check.h"
#include "collective/mpi/mpi_call.h"
#include "collective/mpi/mpi_exchange.h"
#include "collective/mpi/mpi_session.h"
#include "collective/mpi/mpi_version.h"

namespace lockstep {
namespace {

// The largest piece of an all-reduce: see the header.
constexpr std::int64_t kSumBytes = 16 << 20;
// Up to this size MPI_Reduce_scatter is faster; above, a reduction to each rank in turn takes 0.6 to 0.9 of its time
// (Open MPI 4.1.4, two and four ranks of one host).
constexpr std::size_t kScatterBytes = 256 << 10;

#ifdef NDEBUG
constexpr bool kDebugBuild = false;
#else
constexpr bool kDebugBuild = true;
#endif

class MpiCommunicator final : public BlockingCommunicator {
 public:
  enum class Handle { borrowed, owned };

  MpiCommunicator(MpiSession& session, MPI_Comm handle, Handle owner, bool checked, int rank, int size, Trace& trace,
                  std::uint32_t group)
      : BlockingCommunicator(rank, size, trace, group),
        session_(session),
        handle_(handle),
        owner_(owner),
        checked_(checked) {}

  const char* name() const override { return "mpi"; }
  std::string summation() const override { return "mpi, " + mpi_version(); }
  bool scatters_alike() const override { return false; }
  void abandon() noexcept override {}

 private:
  void check_call(const CollectiveCall& call) override {
    if (!checked_) return;
    calls_.resize(static_cast<std::size_t>(size()));
    do_all_gather(std::as_bytes(std::span(&call, 1)), std::as_writable_bytes(std::span(calls_)));
    if (const std::string why = mismatch(calls_); !why.empty()) throw Error(ExitCode::internal, why, Scope::every_rank);
  }

  // Also checks the exchanges of a tree all-reduce.
  void check_pieces(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) {
    if (!checked_) return;
    const std::vector<std::uint64_t> row = exchange_row(sends, receives, size());
    std::vector<std::uint64_t> rows(row.size() * static_cast<std::size_t>(size()));
    do_all_gather(std::as_bytes(std::span(row)), std::as_writable_bytes(std::span(rows)));
    const std::string why = exchange_mismatch(rows, size());
    if (!why.empty()) throw Error(ExitCode::internal, why, Scope::every_rank);
  }

  void do_all_reduce(const Tensor& values) override {
    const MpiSum sum = session_.handles().sums.of(values.dtype());
    in_pieces(values, {0, values.count()}, [&](void* piece, int count) {
      LS_MPI(MPI_Allreduce(MPI_IN_PLACE, piece, count, sum.type, sum.operation, handle_), count);
    });
  }

  void do_reduce_scatter(const Tensor& values, std::span<const FlatRange> slices) override {
    if (values.bytes() <= kScatterBytes) return reduce_scatter_at_once(values, slices);
    const MpiSum sum = session_.handles().sums.of(values.dtype());
    for (int root = 0; root < size(); ++root) {
      in_pieces(values, slices[static_cast<std::size_t>(root)], [&](void* piece, int count) {
        const void* const from = root == rank() ? MPI_IN_PLACE : piece;
        LS_MPI(MPI_Reduce(from, piece, count, sum.type, sum.operation, root, handle_), count);
      });
    }
  }

  void do_gather_slices(const Tensor& values, std::span<const FlatRange> slices) override {
    if (values.bytes() > kMpiCallBytes) {  // MPI's counts and displacements are ints
      for (int root = 0; root < size(); ++root) {
        const Tensor slice = values.flat(slices[static_cast<std::size_t>(root)]);
        do_broadcast(std::span(static_cast<std::byte*>(slice.data()), slice.bytes()), root);
      }
      return;
    }
    const int element = static_cast<int>(size_of(values.dtype()));
    counts_.clear();
    offsets_.clear();
    for (const FlatRange& slice : slices) {
      counts_.push_back(static_cast<int>(slice.count()) * element);
      offsets_.push_back(static_cast<int>(slice.begin) * element);
    }
    const std::scoped_lock lock(session_.mutex());
    LS_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values.data(), counts_.data(), offsets_.data(), MPI_BYTE,
                          handle_),
           values.count());
  }

  void do_barrier() override {
    const std::scoped_lock lock(session_.mutex());
    LS_MPI(MPI_Barrier(handle_), 0);
  }

  void do_broadcast(std::span<std::byte> bytes, int root) override {
    in_mpi_pieces(bytes, [&](std::span<std::byte> piece) {
      const int count = static_cast<int>(piece.size());
      const std::scoped_lock lock(session_.mutex());
      LS_MPI(MPI_Bcast(piece.data(), count, MPI_BYTE, root, handle_), count);
    });
  }

  void do_all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    if (all.size() > kMpiCallBytes) {  // MPI's counts and displacements are ints
      for (int root = 0; root < size(); ++root) {
        const std::span<std::byte> part = all.subspan(static_cast<std::size_t>(root) * mine.size(), mine.size());
        if (root == rank()) std::ranges::copy(mine, part.begin());
        do_broadcast(part, root);
      }
      return;
    }
    const int count = static_cast<int>(mine.size());
    const std::scoped_lock lock(session_.mutex());
    LS_MPI(MPI_Allgather(mine.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, handle_), count);
  }

  void do_exchange(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) override {
    check_pieces(sends, receives);
    const std::scoped_lock lock(session_.mutex());
    mpi_exchange(handle_, sends, receives, who());
  }

  std::unique_ptr<Communicator> do_split(int color, int key, std::uint32_t group) override {
    const std::scoped_lock lock(session_.mutex());
    MPI_Comm part = MPI_COMM_NULL;
    LS_MPI(MPI_Comm_split(handle_, color < 0 ? MPI_UNDEFINED : color, key, &part), 1);
    if (part == MPI_COMM_NULL) return nullptr;
    int rank = 0;
    int size = 0;
    LS_MPI(MPI_Comm_rank(part, &rank), 1);
    LS_MPI(MPI_Comm_size(part, &size), 1);
    return std::make_unique<MpiCommunicator>(session_, part, Handle::owned, checked_, rank, size, trace(), group);
  }

  void do_close() override {
    if (owner_ == Handle::borrowed) return;
    const std::scoped_lock lock(session_.mutex());
    LS_MPI(MPI_Comm_free(&handle_), 1);
  }

  // Calls call(piece, count), under the lock, with pieces of at most kSumBytes of the range, in order.
  template <class Call>
  void in_pieces(const Tensor& values, FlatRange range, Call call) {
    const std::int64_t most = kSumBytes / static_cast<std::int64_t>(size_of(values.dtype()));
    for (std::int64_t begin = range.begin; begin < range.end; begin += most) {
      const Tensor piece = values.flat({begin, std::min(begin + most, range.end)});
      const std::scoped_lock lock(session_.mutex());
      call(piece.data(), static_cast<int>(piece.count()));
    }
  }

  void reduce_scatter_at_once(const Tensor& values, std::span<const FlatRange> slices) {
    const MpiSum sum = session_.handles().sums.of(values.dtype());
    counts_.clear();
    for (const FlatRange& slice : slices) counts_.push_back(static_cast<int>(slice.count()));
    const Tensor mine = values.flat(slices[static_cast<std::size_t>(rank())]);
    scratch_.resize(mine.bytes());  // in place, MPI would need as much, and leave the result in rank 0's slice
    const std::scoped_lock lock(session_.mutex());
    LS_MPI(MPI_Reduce_scatter(values.data(), scratch_.data(), counts_.data(), sum.type, sum.operation, handle_),
           values.count());
    std::ranges::copy(scratch_, static_cast<std::byte*>(mine.data()));
  }

  MpiSession& session_;
  MPI_Comm handle_;
  Handle owner_;
  bool checked_;
  // Scratch kept from call to call: a step of training allocates nothing.
  std::vector<std::byte> scratch_;
  std::vector<int> counts_;
  std::vector<int> offsets_;
  std::vector<CollectiveCall> calls_;
};

}  // namespace

std::unique_ptr<Communicator> make_mpi_communicator(MpiSession& session, Trace& trace, CheckCalls check) {
  const bool checked = check == CheckCalls::in_debug_builds ? kDebugBuild : check == CheckCalls::always;
  return std::make_unique<MpiCommunicator>(session, session.handles().world, MpiCommunicator::Handle::borrowed, checked,
                                           session.rank(), session.size(), trace, kWorldGroup);
}

}  // namespace lockstep
