#include "collective/wire_copy.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collective/communication_thread.h"
#include "collective/gradient_reducer.h"
#include "support/ranks.h"
#include "support/shm_ranks.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/half_types.h"

// Gradients sent in 16 bits.
namespace lockstep {
namespace {

constexpr std::int64_t kCount = 203;

float formula(int rank, std::int64_t i) {
  return static_cast<float>((i * 7919 + rank * 104729) % 2003 - 1001) / 512.0F;
}

float rounded(DType wire, float value) {
  return wire == DType::bfloat16 ? widened(narrowed<BFloat16>(value)) : widened(narrowed<Float16>(value));
}

// Relative error of one rounding, with some allowance for float32.
double unit(DType wire) { return wire == DType::bfloat16 ? 1.0 / 250 : 1.0 / 2000; }

// A gradient's sum if each rank's share is rounded, and then the sum once, as on threads and shm.
float expected_sum(DType wire, int ranks, std::int64_t i) {
  if (ranks == 1) return formula(0, i);
  float sum = rounded(wire, formula(0, i));
  for (int rank = 1; rank < ranks; ++rank) sum += rounded(wire, formula(rank, i));
  return rounded(wire, sum);
}

struct Store {
  explicit Store(Communicator& communicator)
      : memory(communicator.allocator().allocate(kCount * sizeof(float))),
        gradients(view(memory, DType::float32, {kCount})) {}

  void step(GradientReducer& reducer, int rank) const {
    for (std::int64_t end = kCount; end > 0;) {
      const FlatRange range{std::max<std::int64_t>(end - 30, 0), end};
      for (auto i = range.begin; i < range.end; ++i) gradients.as<float>()[i] = formula(rank, i);
      reducer.ready(0, range);
      end = range.begin;
    }
    reducer.finish();
  }

  Buffer memory;
  Tensor gradients;
};

std::unique_ptr<GradientReducer> make(Communicator& communicator, Backend& backend, const Tensor& gradients,
                                      std::int64_t bucket, bool in_slices, DType wire, int shares = 1) {
  if (!in_slices) return make_bucket_reducer(communicator, backend, gradients, bucket, shares, wire);
  const auto buckets = slice_buckets(kCount, bucket, communicator.size(), 8);
  return make_slice_reducer(communicator, backend, gradients, buckets, shares, wire);
}

template <class Body>
void for_cases(const Body& body) {
  for (const DType wire : {DType::bfloat16, DType::float16}) {
    for (const bool in_slices : {false, true}) {
      for (const std::int64_t bucket : {1, 50, 1000}) {
        CAPTURE(name(wire));
        CAPTURE(in_slices);
        CAPTURE(bucket);
        body(wire, in_slices, bucket);
      }
    }
  }
}

}  // namespace

TEST_CASE("gradients in 16 bits: each is rounded, summed in float32 and rounded once, by either reducer") {
  const auto body = [](RankContext& rank) {
    for_cases([&](DType wire, bool in_slices, std::int64_t bucket) {
      const auto backend = make_cpu_backend();
      const Store store(rank.communicator);
      const auto reducer = make(rank.communicator, *backend, store.gradients, bucket, in_slices, wire);
      for (int step = 0; step < 2; ++step) {
        store.step(*reducer, rank.communicator.rank());
        int wrong = 0;
        for (const FlatRange range : reducer->owned()) {
          for (auto i = range.begin; i < range.end; ++i) {
            if (store.gradients.as<float>()[i] != expected_sum(wire, rank.communicator.size(), i)) ++wrong;
          }
        }
        CHECK(wrong == 0);
      }
    });
  };
  for (const int ranks : {1, 2, 3, 5}) {
    for_thread_ranks(ranks, body);
    for_shm_thread_ranks(ranks, body);
  }
}

TEST_CASE("gradients in 16 bits: close to their sums over any communicator, also on a second thread") {
  for_ranks([](Communicator& world) {
    const auto threaded = make_communication_thread(world.split(0, world.rank()));
    const int ranks = world.size();
    for (Communicator* communicator : {&world, threaded.get()}) {
      for_cases([&](DType wire, bool in_slices, std::int64_t bucket) {
        const auto backend = make_cpu_backend();
        const Store store(*communicator);
        const auto reducer = make(*communicator, *backend, store.gradients, bucket, in_slices, wire);
        store.step(*reducer, communicator->rank());
        double worst = 0;  // in units of one rounding; MPI rounds once per rank
        for (const FlatRange range : reducer->owned()) {
          for (auto i = range.begin; i < range.end; ++i) {
            double sum = 0;
            double size = 0;
            for (int rank = 0; rank < ranks; ++rank) {
              sum += double{formula(rank, i)};
              size += std::abs(double{formula(rank, i)});
            }
            const double error = std::abs(double{store.gradients.as<float>()[i]} - sum);
            if (error > 0) worst = std::max(worst, error / (size * unit(wire)));
          }
        }
        CHECK(worst <= ranks + 1);
      });
    }
    threaded->close();
  });
}

TEST_CASE("gradients in 16 bits: a rank without shares gets the sums of the others") {
  for_thread_ranks(3, [](RankContext& rank) {
    const auto backend = make_cpu_backend();
    const Store store(rank.communicator);
    const bool idle = rank.communicator.rank() == 2;
    const auto reducer = make(rank.communicator, *backend, store.gradients, 50, false, DType::bfloat16, idle ? 0 : 1);
    if (idle) {
      reducer->finish();
    } else {
      store.step(*reducer, rank.communicator.rank());
    }
    for (std::int64_t i = 0; i < kCount; ++i) {
      REQUIRE(store.gradients.as<float>()[i] == expected_sum(DType::bfloat16, 2, i));
    }
  });
}

TEST_CASE("gradients in 16 bits: beyond float16 is infinity, which bfloat16 holds; NaN stays NaN") {
  for_thread_ranks(2, [](RankContext& rank) {
    const auto backend = make_cpu_backend();
    for (const DType wire : {DType::bfloat16, DType::float16}) {
      const Store store(rank.communicator);
      const WireCopy travelling(rank.communicator.allocator(), *backend, store.gradients, wire);
      float* const values = store.gradients.as<float>();
      values[200] = 1e5F;
      values[201] = NAN;
      values[202] = -0.0F;
      const Tensor narrow = travelling.narrowed({200, 203});
      CHECK(narrow.dtype() == wire);
      CHECK(narrow.count() == 3);
      travelling.widen({200, 203});
      CHECK(std::isinf(values[200]) == (wire == DType::float16));
      CHECK(std::isnan(values[201]));
      CHECK(std::signbit(values[202]));
    }
  });
}

TEST_CASE("gradients that travel as they are have no copy, nor has one rank's") {
  for_rank_contexts([](RankContext& rank) {
    const auto backend = make_cpu_backend();
    const Store store(rank.communicator);
    const WireCopy same(rank.communicator.allocator(), *backend, store.gradients, DType::float32);
    CHECK(same.narrowed({3, 7}).data() == store.gradients.flat({3, 7}).data());
    if (rank.communicator.size() > 1) return;
    const auto reducer = make_bucket_reducer(rank.communicator, *backend, store.gradients, 50, 1, DType::bfloat16);
    store.step(*reducer, 0);
    for (std::int64_t i = 0; i < kCount; ++i) REQUIRE(store.gradients.as<float>()[i] == formula(0, i));
  });
}

}  // namespace lockstep
