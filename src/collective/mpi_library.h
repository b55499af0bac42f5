#pragma once

#include <string>
#include <string_view>
#include <vector>

// The MPI library this process runs with: where it lies, and by which protocols it can meet the other processes.
// Everything here works before MPI_Init.
namespace lockstep {

// The folder of libmpi, as a real path; "" if it is not a file of its own.
std::string mpi_library_folder();

// The components that Open MPI 4 and before would find on a disk for its framework "pmix", its clients of process
// managers: "ext3x", "s2". Empty where none are to be seen: in another MPI, or built into the library.
std::vector<std::string> open_mpi_pmix_components(const std::string& library_folder);

// What the library may speak besides PMIx: all that it is not certain to lack.
struct PmiClients {
  bool pmi1 = true;
  bool pmi2 = true;
};

// Open MPI 5 speaks nothing but PMIx; before it, each protocol had a component of its own, which exists only if it was
// asked for when Open MPI was built. Other MPIs have PMI. version: mpi_version(). Pure.
PmiClients pmi_clients(std::string_view version, const std::vector<std::string>& pmix_components);

}  // namespace lockstep
