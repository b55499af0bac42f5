#include "collective/make_communicator.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collective/mpi/mpi_version.h"
#include "support/ranks.h"
#include "tensor/backend.h"

namespace lockstep {

TEST_CASE("a world of one needs no MPI") {
  StatusLine line;
  Trace trace(line, 0);
  const auto world = make_world(nullptr, trace);
  const auto backend = make_backend({});
  for (const Overlap overlap : {Overlap::inline_calls, Overlap::thread}) {
    for (const auto& connect : {connect_auto, connect_self}) {
      const auto communicator = connect({*world, nullptr, trace, *backend, overlap});
      CHECK(communicator->name() == std::string("self"));
      CHECK(communicator->size() == 1);
      double value = 2.5;
      communicator->wait(communicator->all_reduce({&value, DType::float64, {1}}));
      CHECK(value == 2.5);
      communicator->close();
    }
    CHECK_THROWS_WITH_AS(connect_mpi({*world, nullptr, trace, *backend, overlap}),
                         doctest::Contains("--collective=mpi: this process was started alone"), Error);
  }
}

TEST_CASE("a communicator for gradients joins the ranks of its group, in their order, next to it") {
  for_rank_contexts([](RankContext& rank) {
    Communicator& world = rank.communicator;
    const auto backend = make_backend({});
    for (const Overlap overlap : {Overlap::inline_calls, Overlap::thread}) {
      const auto communicator = connect_auto({world, nullptr, rank.trace, *backend, overlap});
      CHECK(communicator->name() == std::string(world.name()));
      CHECK(communicator->rank() == world.rank());
      CHECK(communicator->size() == world.size());
      double value = world.rank() + 1;
      communicator->wait(communicator->all_reduce({&value, DType::float64, {1}}));
      CHECK(value == world.size() * (world.size() + 1) / 2);
      CHECK(all_gather_value(world, value) == std::vector<double>(static_cast<std::size_t>(world.size()), value));
      communicator->close();
    }
    if (world.size() == 1) return;
    CHECK_THROWS_WITH_AS(connect_self({world, nullptr, rank.trace, *backend, Overlap::inline_calls}),
                         doctest::Contains("--collective=self sums over one rank"), Error);
  });
}

TEST_CASE("a communicator says what decides the bits of its sums") {
  for_ranks([](Communicator& communicator) {
    if (communicator.name() != std::string("mpi")) {
      CHECK(communicator.summation() == communicator.name());
    } else {
      CHECK(communicator.summation() == "mpi, " + mpi_version());
    }
    const auto threaded = overlapped(communicator.split(0, communicator.rank()), Overlap::thread);
    CHECK(threaded->summation() == communicator.summation());
    threaded->close();
  });
}

TEST_CASE("features name the MPI library, and NCCL or that there is none") {
  CHECK(communicator_features().find("MPI") != std::string::npos);
  const bool has_none = communicator_features().ends_with(", no nccl");
  CHECK(has_none != (communicator_features().find(", NCCL 2.") != std::string::npos));
}

}  // namespace lockstep
