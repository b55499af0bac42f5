#pragma once

#include <string>

#include "collective/communicator.h"
#include "model/parameter_store.h"
#include "tensor/backend.h"

namespace lockstep {

// parameters_sha256: SHA-256 over, for each variable in the order of the table, its name, a NUL byte and its values as
// little-endian float32. As hexadecimal.
std::string parameter_digest(Backend& backend, const ParameterStore& parameters);

// That digest, after comparing it over all ranks. COLLECTIVE. Throws Error(internal) of every rank naming the ranks
// that drifted.
std::string agreed_parameter_digest(Communicator& communicator, Backend& backend, const ParameterStore& parameters);

}  // namespace lockstep
