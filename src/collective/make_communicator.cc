#include "collective/make_communicator.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "collective/communication_thread.h"
#include "collective/mpi_communicator.h"
#include "collective/mpi_session.h"
#include "collective/mpi_version.h"
#include "collective/self_communicator.h"

namespace lockstep {
namespace {

// A copy of the group, so that its operations and the group's own cannot be mixed up.
std::unique_ptr<Communicator> copy(const CommunicatorParts& parts) {
  return overlapped(parts.group.split(0, parts.group.rank()), parts.overlap);
}

}  // namespace

std::unique_ptr<Communicator> make_world(MpiSession* session, Trace& trace) {
  return session == nullptr ? make_self_communicator(trace) : make_mpi_communicator(*session, trace);
}

std::unique_ptr<Communicator> overlapped(std::unique_ptr<Communicator> communicator, Overlap overlap) {
  if (overlap == Overlap::inline_calls) return communicator;
  return make_communication_thread(std::move(communicator));
}

std::unique_ptr<Communicator> connect_auto(const CommunicatorParts& parts) { return copy(parts); }

std::unique_ptr<Communicator> connect_mpi(const CommunicatorParts& parts) {
  if (parts.session != nullptr) return copy(parts);
  throw Error(ExitCode::configuration,
              "--collective=mpi: this process was started alone, without MPI; start it with mpirun, or leave the flag "
              "out",
              Scope::every_rank);
}

std::unique_ptr<Communicator> connect_self(const CommunicatorParts& parts) {
  if (parts.group.size() == 1) return overlapped(make_self_communicator(parts.trace), parts.overlap);
  throw Error(ExitCode::configuration,
              fmt::format("--collective=self sums over one rank, and there are {}; start one, or leave the flag out",
                          parts.group.size()),
              Scope::every_rank);
}

std::string communicator_features() { return mpi_version(); }

}  // namespace lockstep
