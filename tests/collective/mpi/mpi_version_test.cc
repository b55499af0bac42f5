#include "collective/mpi/mpi_version.h"

#include <doctest/doctest.h>

namespace lockstep {

TEST_CASE("features name the MPI library in a few words") {
  CHECK(
      short_library_version("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022") ==
      "Open MPI 4.1.4");
  CHECK(short_library_version("MPICH Version:\t4.0.2\nMPICH Release date: x") == "MPICH Version:\t4.0.2");
  CHECK(!mpi_version().empty());
}

TEST_CASE("Open MPI is known by its major version") {
  CHECK(open_mpi_major("Open MPI 4.1.4") == 4);
  CHECK(open_mpi_major("Open MPI 5.0.3rc1") == 5);
  CHECK_FALSE(open_mpi_major("MPICH Version:\t4.0.2").has_value());
  CHECK_FALSE(open_mpi_major("Intel(R) MPI Library 2021.11 for Linux* OS").has_value());
  CHECK_FALSE(open_mpi_major("Open MPI ").has_value());
  CHECK_FALSE(open_mpi_major("").has_value());
}

}  // namespace lockstep
