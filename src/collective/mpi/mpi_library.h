#pragma once

#include <string>
#include <string_view>
#include <vector>

// The MPI library this process runs with: its folder, and the protocols by which it can meet the other processes.
// Everything here works before MPI_Init.
namespace lockstep {

// The folder of libmpi, as a real path; "" if it is not a file of its own.
std::string mpi_library_folder();

// The components that Open MPI 4 and before would find on a disk for its framework "pmix", its clients of process
// managers: "ext3x", "s2". Empty if none can be seen: another MPI, or components built into the library.
std::vector<std::string> open_mpi_pmix_components(const std::string& library_folder);

// PMI flavours the library may support besides PMIx (unknown counts as supported).
struct PmiClients {
  bool pmi1 = true;
  bool pmi2 = true;
};

// The PMI flavours of an MPI library. Open MPI 5 supports PMIx alone; before it, each protocol had a component of its
// own, which exists only if it was asked for when Open MPI was built. Other MPIs have PMI. version: mpi_version().
// Pure.
PmiClients pmi_clients(std::string_view version, const std::vector<std::string>& pmix_components);

}  // namespace lockstep
