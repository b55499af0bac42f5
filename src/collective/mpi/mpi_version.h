#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

// The MPI library this process runs with: "Open MPI 4.1.4". Works before MPI_Init.
std::string mpi_version();

// The same, from MPI's own text: "Open MPI v4.1.4, package: ..., 2022".
std::string short_library_version(std::string_view version);

// The major version: 4 for "Open MPI 4.1.4"; nothing for another MPI.
std::optional<int> open_mpi_major(std::string_view version);

}  // namespace lockstep
