#include "collective/mpi/mpi_exchange.h"

#include <fmt/format.h>

#include <vector>

#include "collective/mpi/mpi_call.h"

namespace lockstep {
namespace {

constexpr int kTag = 1;

void wait_for_all(std::vector<MPI_Request>& requests, std::vector<MPI_Status>& statuses) {
  const int count = static_cast<int>(requests.size());
  const int code = MPI_Waitall(count, requests.data(), statuses.data());
  if (code == MPI_ERR_IN_STATUS) {
    for (const MPI_Status& status : statuses) {
      if (status.MPI_ERROR != MPI_ERR_PENDING) check_mpi(status.MPI_ERROR, count, LS_HERE("MPI_Waitall"));
    }
  }
  check_mpi(code, count, LS_HERE("MPI_Waitall"));
}

}  // namespace

void mpi_exchange(MPI_Comm communicator, std::span<const SendPiece> sends, std::span<const ReceivePiece> receives,
                  const std::string& who) {
  std::vector<MPI_Request> requests;
  std::vector<int> expected;  // size of the request at the same index; messages of one pair keep their order
  for (const ReceivePiece& receive : receives) {
    in_mpi_pieces(receive.bytes, [&](std::span<std::byte> piece) {
      expected.push_back(static_cast<int>(piece.size()));
      LS_MPI(MPI_Irecv(piece.data(), expected.back(), MPI_BYTE, receive.from, kTag, communicator,
                       &requests.emplace_back()),
             expected.back());
    });
  }
  for (const SendPiece& send : sends) {
    in_mpi_pieces(send.bytes, [&](std::span<const std::byte> piece) {
      const int count = static_cast<int>(piece.size());
      LS_MPI(MPI_Isend(piece.data(), count, MPI_BYTE, send.to, kTag, communicator, &requests.emplace_back()), count);
    });
  }
  std::vector<MPI_Status> statuses(requests.size());
  wait_for_all(requests, statuses);
  for (std::size_t receive = 0; receive < expected.size(); ++receive) {
    int received = 0;
    MPI_Get_count(&statuses[receive], MPI_BYTE, &received);
    LS_CHECK(received == expected[receive], fmt::format("{} awaits {} bytes from rank {}, which sends {}", who,
                                                        expected[receive], statuses[receive].MPI_SOURCE, received));
  }
}

}  // namespace lockstep
