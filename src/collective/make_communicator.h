#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/trace.h"
#include "collective/communicator.h"

namespace lockstep {

class MpiSession;

// Where collectives run: on the thread that asks for them, or on one of their own while it computes on.
enum class Overlap { inline_calls, thread };

// The world's communicator: the one place that knows which kinds this build has. session is null when this process
// was started alone, without MPI: a world of one. Session and Trace must outlive the communicator. COLLECTIVE.
std::unique_ptr<Communicator> make_communicator(Overlap overlap, MpiSession* session, Trace& trace);

// "Open MPI 4.1.4" from "Open MPI v4.1.4, package: ..., 2022": the name and number in MPI's own words.
std::string short_library_version(std::string_view version);

// "Open MPI 4.1.4, no nccl": what make_communicator can give, for --version. Works before MPI_Init.
std::string communicator_features();

}  // namespace lockstep
