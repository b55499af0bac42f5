#include "collective/make_communicator.h"

#include <mpi.h>

#include <array>
#include <string_view>
#include <utility>

#include "collective/communication_thread.h"
#include "collective/mpi_communicator.h"
#include "collective/mpi_session.h"
#include "collective/self_communicator.h"

namespace lockstep {

std::unique_ptr<Communicator> make_communicator(Overlap overlap, MpiSession* session, Trace& trace) {
  auto communicator = session == nullptr ? make_self_communicator(trace) : make_mpi_communicator(*session, trace);
  if (overlap == Overlap::inline_calls) return communicator;
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
