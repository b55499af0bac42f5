// Ranks that make different calls all get an error and do not hang. Mistakes that any single call shows (slices that do
// not fit the count, an unknown root) are refused before any rank waits.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "base/error.h"
#include "collective/backends.h"
#include "collective/slices.h"

namespace lockstep {
namespace {

constexpr std::int64_t kCount = 100;

struct Values {
  std::array<double, kCount + 1> memory{};
  Tensor of(DType dtype, std::int64_t count = kCount) { return {memory.data(), dtype, {count}}; }
};

// All ranks make one call, the last rank of the group another; every rank's error names both.
template <class Usual, class Unusual>
void check_misuse(const std::string& usual_name, const std::string& unusual_name, Usual usual, Unusual unusual) {
  for (const CollectiveBackend& backend : kCollectiveBackends) {
    CAPTURE(backend.name);
    for_rank_contexts([&](RankContext& context) {
      if (context.communicator.size() == 1) return;
      const auto communicator = backend.make(context.communicator, context);
      if (communicator == nullptr) return;
      Values values;
      std::string why;
      try {
        if (communicator->rank() == communicator->size() - 1)
          unusual(*communicator, values);
        else
          usual(*communicator, values);
      } catch (const Error& error) {
        CHECK(error.code() == ExitCode::internal);
        why = error.what();
      }
      CAPTURE(why);
      CHECK(why.find(usual_name) != std::string::npos);
      CHECK(why.find(unusual_name) != std::string::npos);
    });
  }
}

void all_reduce(Communicator& communicator, const Tensor& values) {
  communicator.wait(communicator.all_reduce(values));
}

void tree_all_reduce(Communicator& communicator, const Tensor& values) {
  const TreePlan plan(communicator.size(), communicator.size());
  communicator.wait(communicator.tree_all_reduce(plan, {&values, 1}, values));
}

}  // namespace

TEST_CASE("different operations") {
  check_misuse(
      "all-reduce of 100 float32", "broadcast of",
      [](Communicator& communicator, Values& values) { all_reduce(communicator, values.of(DType::float32)); },
      [](Communicator& communicator, Values& values) {
        communicator.wait(communicator.broadcast(values.of(DType::float32), 0));
      });
  check_misuse(
      "all-reduce of 100 float32", "barrier",
      [](Communicator& communicator, Values& values) { all_reduce(communicator, values.of(DType::float32)); },
      [](Communicator& communicator, Values&) { communicator.barrier(); });
  check_misuse(
      "tree all-reduce of 100 float32", "barrier",
      [](Communicator& communicator, Values& values) { tree_all_reduce(communicator, values.of(DType::float32)); },
      [](Communicator& communicator, Values&) { communicator.barrier(); });
}

TEST_CASE("different counts, also none at all") {
  for (const std::int64_t count : {kCount + 1, std::int64_t{0}}) {
    check_misuse(
        "all-reduce of 100 float32", "all-reduce of " + std::to_string(count) + " float32",
        [](Communicator& communicator, Values& values) { all_reduce(communicator, values.of(DType::float32)); },
        [count](Communicator& communicator, Values& values) {
          all_reduce(communicator, values.of(DType::float32, count));
        });
  }
}

TEST_CASE("different types") {
  check_misuse(
      "all-reduce of 100 bfloat16", "all-reduce of 100 float16",
      [](Communicator& communicator, Values& values) { all_reduce(communicator, values.of(DType::bfloat16)); },
      [](Communicator& communicator, Values& values) { all_reduce(communicator, values.of(DType::float16)); });
}

TEST_CASE("different types of as many bytes") {
  check_misuse(
      "broadcast of 2 float32", "broadcast of 1 float64",
      [](Communicator& communicator, Values& values) {
        communicator.wait(communicator.broadcast(values.of(DType::float32, 2), 0));
      },
      [](Communicator& communicator, Values& values) {
        communicator.wait(communicator.broadcast(values.of(DType::float64, 1), 0));
      });
  check_misuse(
      "tree all-reduce of 100 float32", "tree all-reduce of 50 float64",
      [](Communicator& communicator, Values& values) { tree_all_reduce(communicator, values.of(DType::float32)); },
      [](Communicator& communicator, Values& values) { tree_all_reduce(communicator, values.of(DType::float64, 50)); });
}

TEST_CASE("different roots") {
  check_misuse(
      "from rank 0", "from rank 1",
      [](Communicator& communicator, Values& values) {
        communicator.wait(communicator.broadcast(values.of(DType::float32), 0));
      },
      [](Communicator& communicator, Values& values) {
        communicator.wait(communicator.broadcast(values.of(DType::float32), 1));
      });
}

TEST_CASE("pieces that are awaited and not sent") {
  const auto exchange = [](Communicator& communicator, int awaited) {
    const int rank = communicator.rank();
    const int size = communicator.size();
    const std::array<std::byte, 8> out{};
    std::array<std::array<std::byte, 8>, 2> in{};
    const SendPiece send{(rank + 1) % size, out};
    std::vector<ReceivePiece> receives;
    receives.reserve(static_cast<std::size_t>(awaited));
    for (int piece = 0; piece < awaited; ++piece) {
      receives.push_back({(rank + size - 1) % size, in[static_cast<std::size_t>(piece)]});
    }
    communicator.exchange({&send, 1}, receives);
    communicator.barrier();  // a rank that awaits no more than it gets may see the error only here
  };
  check_misuse(
      "exchange: ", " awaits ", [&](Communicator& communicator, Values&) { exchange(communicator, 1); },
      [&](Communicator& communicator, Values&) { exchange(communicator, 2); });
}

TEST_CASE("different slices") {
  const auto slices = [](const Communicator& communicator, std::int64_t granularity) {
    return equal_slices(kCount, communicator.size(), granularity);
  };
  check_misuse(
      "reduce-scatter of 100 float32 in slices", "reduce-scatter of 100 float32 in slices",
      [&](Communicator& communicator, Values& values) {
        communicator.wait(communicator.reduce_scatter(values.of(DType::float32), slices(communicator, 1)));
      },
      [&](Communicator& communicator, Values& values) {
        communicator.wait(communicator.reduce_scatter(values.of(DType::float32), slices(communicator, 99)));
      });
  check_misuse(
      "all-gather of 100 int64 in slices", "all-gather of 100 int64 in slices",
      [&](Communicator& communicator, Values& values) {
        communicator.wait(communicator.all_gather(values.of(DType::int64), slices(communicator, 1)));
      },
      [&](Communicator& communicator, Values& values) {
        communicator.wait(communicator.all_gather(values.of(DType::int64), slices(communicator, 99)));
      });
}

TEST_CASE("arguments that cannot be right are refused before anyone waits") {
  for_backends([](Communicator& communicator, RankContext&) {
    Values memory;
    const Tensor values = memory.of(DType::float32);
    const std::vector<FlatRange> slices = equal_slices(kCount, communicator.size());
    std::vector<FlatRange> too_many = slices;
    too_many.push_back({kCount, kCount});
    CHECK_THROWS_AS(communicator.reduce_scatter(values, too_many), Error);
    CHECK_THROWS_AS(communicator.all_gather(memory.of(DType::float32, kCount + 1), slices), Error);
    CHECK_THROWS_AS(communicator.reduce_scatter(memory.of(DType::int32), slices), Error);
    CHECK_THROWS_AS(communicator.broadcast(values, communicator.size()), Error);
    CHECK_THROWS_AS(communicator.broadcast(values, -1), Error);
    std::vector<FlatRange> gap = slices;
    gap.front().begin = 1;
    CHECK_THROWS_AS(communicator.all_gather(values, gap), Error);
    communicator.barrier();
  });
}

}  // namespace lockstep
