// Gradients of a GPU sent in 16 bits, over NCCL and through the host.
#include <algorithm>
#include <array>
#include <vector>

#include "collective/gpu_ranks.h"
#include "collective/gradient_reducer.h"
#include "collective/host_staged_communicator.h"
#include "collective/nccl/nccl_communicator.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

constexpr std::int64_t kCount = 5003;
constexpr std::array<int, 3> kWorlds{1, 2, 3};

float formula(int rank, std::int64_t i) {
  return static_cast<float>((i * 7919 + rank * 104729) % 2003 - 1001) / 512.0F;
}

float rounded(DType wire, float value) {
  return wire == DType::bfloat16 ? widened(narrowed<BFloat16>(value)) : widened(narrowed<Float16>(value));
}

// The fake NCCL adds in float32 and rounds once, as shm does.
float expected_sum(DType wire, int ranks, std::int64_t i) {
  if (ranks == 1) return formula(0, i);
  float sum = rounded(wire, formula(0, i));
  for (int rank = 1; rank < ranks; ++rank) sum += rounded(wire, formula(rank, i));
  return rounded(wire, sum);
}

std::vector<float> own_gradients(int rank) {
  std::vector<float> values(kCount);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = formula(rank, static_cast<std::int64_t>(i));
  return values;
}

// Reports ranges as a backward pass does.
void report(GradientReducer& reducer) {
  constexpr std::int64_t kLayer = 700;
  for (std::int64_t end = kCount; end > 0; end -= kLayer)
    reducer.ready(0, {std::max<std::int64_t>(end - kLayer, 0), end});
}

std::unique_ptr<GradientReducer> make(Communicator& communicator, Backend& backend, const Tensor& gradients,
                                      bool in_slices, DType wire) {
  constexpr std::int64_t kBucket = 1000;
  if (!in_slices) return make_bucket_reducer(communicator, backend, gradients, kBucket, 1, wire);
  return make_slice_reducer(communicator, backend, gradients, slice_buckets(kCount, kBucket, communicator.size(), 8), 1,
                            wire);
}

void check_sums(Communicator& communicator, Backend& backend) {
  for (const DType wire : {DType::bfloat16, DType::float16}) {
    for (const bool in_slices : {false, true}) {
      CAPTURE(name(wire));
      CAPTURE(in_slices);
      GpuValues<float> gradients(communicator.allocator(), backend, own_gradients(communicator.rank()));
      const auto reducer = make(communicator, backend, gradients.tensor(), in_slices, wire);
      for (int step = 0; step < 2; ++step) {
        gradients.write();
        report(*reducer);
        reducer->finish();
        const std::vector<float> sums = gradients.read();
        int wrong = 0;
        for (const FlatRange range : reducer->owned()) {
          for (auto i = range.begin; i < range.end; ++i) {
            wrong += sums[static_cast<std::size_t>(i)] == expected_sum(wire, communicator.size(), i) ? 0 : 1;
          }
        }
        CHECK(wrong == 0);
      }
    }
  }
}

int own_gpu(int rank) { return rank; }

std::unique_ptr<Communicator> make_nccl(RankContext& context, Backend& backend) {
  return make_nccl_communicator({.group = context.communicator, .trace = context.trace, .backend = backend});
}

}  // namespace

TEST_CASE("gradients of a GPU in 16 bits: each is rounded, summed and rounded, over NCCL and through the host") {
  for_gpu_ranks(kWorlds, own_gpu, [](RankContext& context, Backend& backend) {
    const auto nccl = make_nccl(context, backend);
    check_sums(*nccl, backend);
    nccl->close();
    const auto staged =
        make_host_staged_communicator(context.communicator.split(0, context.communicator.rank()), backend);
    check_sums(*staged, backend);
    staged->close();
  });
  CHECK(gpu_stand_in::memory_in_use() == 0);
}

TEST_CASE("gradients of a GPU in 16 bits: the host does not wait, and they are converted in their turn all the same") {
  for_gpu_ranks(kWorlds, own_gpu, [](RankContext& context, Backend& backend) {
    const auto nccl = make_nccl(context, backend);
    const int ranks = nccl->size();
    {
      GpuValues<float> gradients(nccl->allocator(), backend, own_gradients(nccl->rank()));
      const auto reducer = make(*nccl, backend, gradients.tensor(), false, DType::bfloat16);
      backend.synchronize();
      backend.fill(gradients.tensor(), 0);
      Gate gate;
      backend.wait(gate.event());
      gradients.write();  // in the backward pass, after the gate is opened
      report(*reducer);
      reducer->finish();
      gate.open();
      const std::vector<float> sums = gradients.read();
      int wrong = 0;
      for (std::size_t i = 0; i < sums.size(); ++i) {
        wrong += sums[i] == expected_sum(DType::bfloat16, ranks, static_cast<std::int64_t>(i)) ? 0 : 1;
      }
      CHECK(wrong == 0);
    }
    nccl->close();
  });
}

}  // namespace lockstep
