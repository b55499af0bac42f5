#pragma once

#include <string>

#include "train/registry/registry.h"

namespace lockstep {

// Loads a user's shared library (--usr_lib) and lets it add its entries to the registry. It stays loaded until the
// process ends, because objects made from it live on. Before MPI starts; main thread.
//
// Returns the file's SHA-256 in hexadecimal, so that ranks can compare theirs.
//
// Throws Error of every rank: missing_input for a file that cannot be read, configuration for one that is not a
// plug-in, was built for another version (found out before any of its code runs), cannot be loaded or adds a name that
// is taken or unusable; and what its lockstep_register throws, under the library's name.
std::string load_user_library(const std::string& file, Registry& registry);

}  // namespace lockstep
