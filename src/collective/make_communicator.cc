#include "collective/make_communicator.h"

#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/nearest.h"
#include "collective/communication_thread.h"
#include "collective/mpi_communicator.h"
#include "collective/mpi_session.h"
#include "collective/self_communicator.h"

namespace lockstep {
namespace {

std::unique_ptr<Communicator> make_blocking(const std::string& collective, MpiSession* session, Trace& trace) {
  if (collective == "auto") {
    return session == nullptr ? make_self_communicator(trace) : make_mpi_communicator(*session, trace);
  }
  if (collective == "mpi") {
    if (session != nullptr) return make_mpi_communicator(*session, trace);
    throw Error(ExitCode::configuration,
                "--collective=mpi, but this process was started alone, without MPI; start it with mpirun or srun, or "
                "leave the flag out",
                Scope::every_rank);
  }
  if (collective == "self") {
    if (session == nullptr || session->size() == 1) return make_self_communicator(trace);
    throw Error(
        ExitCode::configuration,
        fmt::format("--collective=self is for one rank, but there are {}; use --collective=auto", session->size()),
        Scope::every_rank);
  }
  const std::vector<std::string> known = {"auto", "mpi", "self"};
  throw Error(ExitCode::usage,
              fmt::format("--collective={}: this build has {}{}", collective, fmt::join(known, ", "),
                          did_you_mean(collective, known)),
              Scope::every_rank);
}

}  // namespace

std::unique_ptr<Communicator> make_communicator(const CommunicatorOptions& options, MpiSession* session, Trace& trace) {
  std::unique_ptr<Communicator> communicator = make_blocking(options.collective, session, trace);
  if (options.overlap == Overlap::inline_calls) return communicator;
  return make_communication_thread(std::move(communicator));
}

std::string short_library_version(std::string_view version) {
  std::string text(version.substr(0, version.find_first_of(",\n")));
  if (const auto v = text.find(" v"); v != std::string::npos) text.erase(v + 1, 1);
  return text;
}

std::string communicator_features() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  return short_library_version({version.data(), static_cast<std::size_t>(length)}) + ", no nccl";
}

}  // namespace lockstep
