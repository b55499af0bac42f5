#include "collective/mpi/mpi_library.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace lockstep {

TEST_CASE("the components of Open MPI's pmix framework are found beside the library") {
  const TemporaryFolder library;
  CHECK(open_mpi_pmix_components(library.path()).empty());
  CHECK(open_mpi_pmix_components("").empty());
  const std::filesystem::path folder = library / "openmpi";
  std::filesystem::create_directories(folder);
  for (const char* name : {"mca_pmix_s2.so", "mca_pmix_ext3x.so", "mca_pml_ob1.so", "mca_pmix_.so", "mca_pmix_s1.la"}) {
    std::ofstream(folder / name) << "x";
  }
  std::vector<std::string> components = open_mpi_pmix_components(library.path());
  std::ranges::sort(components);
  CHECK(components == std::vector<std::string>{"ext3x", "s2"});
}

TEST_CASE("a client of PMI is denied only where it is certain that there is none") {
  const auto speaks = [](const char* version, const std::vector<std::string>& components) {
    const PmiClients clients = pmi_clients(version, components);
    return std::string(clients.pmi1 ? "1" : "") + (clients.pmi2 ? "2" : "");
  };
  CHECK(speaks("Open MPI 4.1.4", {"ext3x", "flux", "isolated"}) == "");
  CHECK(speaks("Open MPI 4.1.4", {"pmix3x", "s1", "s2"}) == "12");
  CHECK(speaks("Open MPI 4.1.4", {"pmix3x", "s2"}) == "2");
  CHECK(speaks("Open MPI 3.1.0", {"pmix2x", "cray"}) == "12");
  CHECK(speaks("Open MPI 4.1.4", {}) == "12");  // it may be built in
  CHECK(speaks("Open MPI 5.0.3", {}) == "");
  CHECK(speaks("MPICH Version:\t4.0.2", {}) == "12");
}

TEST_CASE("where the library of this process lies is a folder, if it is known") {
  const std::string folder = mpi_library_folder();
  if (!folder.empty()) CHECK(std::filesystem::is_directory(folder));
}

}  // namespace lockstep
