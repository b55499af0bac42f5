#include "collective/make_communicator.h"

#include <doctest/doctest.h>

#include <string>

namespace lockstep {
TEST_CASE("a world of one needs no MPI") {
  StatusLine line;
  Trace trace(line, 0);
  for (const Overlap overlap : {Overlap::inline_calls, Overlap::thread}) {
    const auto communicator = make_communicator(overlap, nullptr, trace);
    CHECK(communicator->name() == std::string("self"));
    CHECK(communicator->size() == 1);
    double value = 2.5;
    communicator->wait(communicator->all_reduce({&value, DType::float64, {1}}));
    CHECK(value == 2.5);
    communicator->close();
  }
}

TEST_CASE("features name the MPI library in a few words") {
  CHECK(
      short_library_version("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022") ==
      "Open MPI 4.1.4");
  CHECK(short_library_version("MPICH Version:\t4.0.2\nMPICH Release date: x") == "MPICH Version:\t4.0.2");
  CHECK(communicator_features().ends_with(", no nccl"));
}

}  // namespace lockstep
