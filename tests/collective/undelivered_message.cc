// Three ranks, of which 0 and 1 share a host. Rank 1 sends rank 2 a message and then waits in the host's memory for
// rank 0, which waits for rank 2, which waits for that message. They make progress only if MPI delivers it meanwhile,
// which MPI may put off until its next call: rank 1's MPI_Isend, which this program replaces by its own, waits for
// MPI_Iprobe. tests/cluster/hosts/undelivered_test.sh runs it.
#include <mpi.h>

#include <cstdio>
#include <deque>
#include <vector>

#include "base/trace.h"
#include "collective/make_communicator.h"
#include "collective/mpi/mpi_session.h"
#include "tensor/backend.h"

namespace {

struct Undelivered {
  std::vector<std::byte> bytes;
  int to, tag;
  MPI_Comm communicator;
};

std::deque<Undelivered> undelivered;
std::deque<std::vector<std::byte>> under_way;  // send buffers that MPI may still read

}  // namespace

extern "C" int MPI_Isend(const void* bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
                         MPI_Request* request) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 1) return PMPI_Isend(bytes, count, type, to, tag, communicator, request);
  const auto* begin = static_cast<const std::byte*>(bytes);
  undelivered.push_back({{begin, begin + count}, to, tag, communicator});
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

extern "C" int MPI_Iprobe(int from, int tag, MPI_Comm communicator, int* found, MPI_Status* status) {
  for (; !undelivered.empty(); undelivered.pop_front()) {
    const Undelivered& message = undelivered.front();
    under_way.push_back(message.bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Isend(under_way.back().data(), static_cast<int>(message.bytes.size()), MPI_BYTE, message.to, message.tag,
               message.communicator, &request);
    PMPI_Request_free(&request);
  }
  return PMPI_Iprobe(from, tag, communicator, found, status);
}

namespace lockstep {
namespace {

int exchange_and_sum() {
  MpiSession session;
  session.form(0, session.process());
  StatusLine line;
  Trace trace(line, session.rank());
  const auto world = make_world(&session, trace);
  const auto backend = make_backend({});
  const auto sums = connect_hierarchical({*world, &session, trace, *backend, Overlap::inline_calls});

  std::vector<std::byte> message(1000);
  std::vector<SendPiece> sends;
  std::vector<ReceivePiece> receives;
  if (world->rank() == 1) sends.push_back({2, message});
  if (world->rank() == 2) receives.push_back({1, message});
  world->exchange(sends, receives);
  double value = world->rank() + 1;
  sums->wait(sums->all_reduce({&value, DType::float64, {1}}));
  if (value != 6) return 1;

  sums->close();
  world->close();
  if (session.rank() == 0) std::puts("the message was delivered");
  session.finalize();
  return 0;
}

}  // namespace
}  // namespace lockstep

int main() { return lockstep::exchange_and_sum(); }
