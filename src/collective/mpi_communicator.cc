#include "collective/mpi_communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collective/blocking_communicator.h"
#include "collective/mpi_call.h"
#include "collective/mpi_session.h"
#include "collective/mpi_version.h"

namespace lockstep {
namespace {

constexpr std::int64_t kSumBytes = 16 << 20;   // an all-reduce's pieces: see the header
constexpr std::size_t kCallBytes = 1U << 30U;  // any other call's: counts are ints

// Calls use(piece) with pieces of at most kCallBytes, in order.
template <class Bytes, class Use>
void in_pieces(Bytes bytes, Use use) {
  for (std::size_t begin = 0; begin < bytes.size(); begin += kCallBytes) {
    use(bytes.subspan(begin, std::min(kCallBytes, bytes.size() - begin)));
  }
}

MPI_Datatype type_of(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return MPI_FLOAT;
    case DType::float64:
      return MPI_DOUBLE;
    case DType::uint8:
      return MPI_UINT8_T;
    default:
      fail(LS_HERE("type_of(dtype)"), fmt::format("MPI does not add up {}", name(dtype)));
  }
}

class MpiCommunicator final : public BlockingCommunicator {
 public:
  enum class Handle { borrowed, owned };

  MpiCommunicator(MpiSession& session, MPI_Comm handle, Handle owner, int rank, int size, Trace& trace,
                  std::uint32_t group)
      : BlockingCommunicator(rank, size, trace, group), session_(session), handle_(handle), owner_(owner) {}

  const char* name() const override { return "mpi"; }
  std::string summation() const override { return "mpi, " + mpi_version(); }
  void abandon() noexcept override {}

 private:
  void do_all_reduce(const Tensor& values) override {
    const MPI_Datatype type = type_of(values.dtype());
    const std::int64_t most = kSumBytes / static_cast<std::int64_t>(size_of(values.dtype()));
    for (std::int64_t begin = 0; begin < values.count(); begin += most) {
      const Tensor piece = values.flat({begin, std::min(begin + most, values.count())});
      const int count = static_cast<int>(piece.count());
      const std::scoped_lock lock(session_.mutex());
      LS_MPI(MPI_Allreduce(MPI_IN_PLACE, piece.data(), count, type, MPI_SUM, handle_), count);
    }
  }

  void do_reduce_scatter(const Tensor& values, std::span<const FlatRange> slices) override {
    const std::int64_t most = kSumBytes / static_cast<std::int64_t>(size_of(values.dtype()));
    for (int root = 0; root < size(); ++root) {
      const FlatRange slice = slices[static_cast<std::size_t>(root)];
      for (std::int64_t begin = slice.begin; begin < slice.end; begin += most) {
        const Tensor piece = values.flat({begin, std::min(begin + most, slice.end)});
        const int count = static_cast<int>(piece.count());
        const void* const from = root == rank() ? MPI_IN_PLACE : piece.data();
        const std::scoped_lock lock(session_.mutex());
        LS_MPI(MPI_Reduce(from, piece.data(), count, type_of(values.dtype()), MPI_SUM, root, handle_), count);
      }
    }
  }

  void do_gather_slices(const Tensor& values, std::span<const FlatRange> slices) override {
    for (int root = 0; root < size(); ++root) {
      const Tensor slice = values.flat(slices[static_cast<std::size_t>(root)]);
      if (!slice.empty()) do_broadcast(std::span(static_cast<std::byte*>(slice.data()), slice.bytes()), root);
    }
  }

  void do_barrier() override {
    const std::scoped_lock lock(session_.mutex());
    LS_MPI(MPI_Barrier(handle_), 0);
  }

  void do_broadcast(std::span<std::byte> bytes, int root) override {
    in_pieces(bytes, [&](std::span<std::byte> piece) {
      const int count = static_cast<int>(piece.size());
      const std::scoped_lock lock(session_.mutex());
      LS_MPI(MPI_Bcast(piece.data(), count, MPI_BYTE, root, handle_), count);
    });
  }

  void do_all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    if (all.size() > kCallBytes) {  // MPI's counts and displacements are ints
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
    std::vector<MPI_Request> requests;
    std::vector<int> expected;  // bytes of the request of the same place; messages of one pair keep their order
    const std::scoped_lock lock(session_.mutex());
    for (const ReceivePiece& receive : receives) {
      in_pieces(receive.bytes, [&](std::span<std::byte> piece) {
        expected.push_back(static_cast<int>(piece.size()));
        LS_MPI(
            MPI_Irecv(piece.data(), expected.back(), MPI_BYTE, receive.from, kTag, handle_, &requests.emplace_back()),
            expected.back());
      });
    }
    for (const SendPiece& send : sends) {
      in_pieces(send.bytes, [&](std::span<const std::byte> piece) {
        const int count = static_cast<int>(piece.size());
        LS_MPI(MPI_Isend(piece.data(), count, MPI_BYTE, send.to, kTag, handle_, &requests.emplace_back()), count);
      });
    }
    std::vector<MPI_Status> statuses(requests.size());
    const int count = static_cast<int>(requests.size());
    const int code = MPI_Waitall(count, requests.data(), statuses.data());
    if (code == MPI_ERR_IN_STATUS) {
      for (const MPI_Status& status : statuses) {
        if (status.MPI_ERROR != MPI_ERR_PENDING) check_mpi(status.MPI_ERROR, count, LS_HERE("MPI_Waitall"));
      }
    }
    check_mpi(code, count, LS_HERE("MPI_Waitall"));
    for (std::size_t receive = 0; receive < expected.size(); ++receive) {
      int received = 0;
      MPI_Get_count(&statuses[receive], MPI_BYTE, &received);
      LS_CHECK(received == expected[receive], fmt::format("{} awaits {} bytes from rank {}, which sends {}", who(),
                                                          expected[receive], statuses[receive].MPI_SOURCE, received));
    }
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
    return std::make_unique<MpiCommunicator>(session_, part, Handle::owned, rank, size, trace(), group);
  }

  void do_close() override {
    if (owner_ == Handle::borrowed) return;
    const std::scoped_lock lock(session_.mutex());
    LS_MPI(MPI_Comm_free(&handle_), 1);
  }

  static constexpr int kTag = 1;

  MpiSession& session_;
  MPI_Comm handle_;
  Handle owner_;
};

}  // namespace

std::unique_ptr<Communicator> make_mpi_communicator(MpiSession& session, Trace& trace) {
  return std::make_unique<MpiCommunicator>(session, session.handles().world, MpiCommunicator::Handle::borrowed,
                                           session.rank(), session.size(), trace, kWorldGroup);
}

}  // namespace lockstep
