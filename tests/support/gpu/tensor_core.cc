#include "support/gpu/tensor_core.h"

#include "support/gpu/block_runner.h"
#include "tensor/half_types.h"

namespace lockstep::gpu_stand_in {
namespace {

constexpr int kDepth = 16;

// A thread's elements of both factors.
struct Fragments {
  std::uint32_t a[4];
  std::uint32_t b[2];
};

float half_of(std::uint32_t pair, int which) {
  return widened(BFloat16{static_cast<std::uint16_t>(pair >> 16 * which)});
}

float a_at(const WarpValues<Fragments>& warp, int row, int k) {
  return half_of(warp.of(row % 8 * 4 + k % 8 / 2).a[k / 8 * 2 + row / 8], k % 2);
}

float b_at(const WarpValues<Fragments>& warp, int k, int column) {
  return half_of(warp.of(column * 4 + k % 8 / 2).b[k / 8], k % 2);
}

}  // namespace

void add_warp_product(float (&sums)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                      std::source_location place) {
  const WarpValues<Fragments> warp({{a[0], a[1], a[2], a[3]}, {b[0], b[1]}}, place);
  for (int e = 0; e < 4; ++e) {
    const int row = own_lane() / 4 + e / 2 * 8;
    const int column = own_lane() % 4 * 2 + e % 2;
    for (int k = 0; k < kDepth; ++k) sums[e] += a_at(warp, row, k) * b_at(warp, k, column);
  }
}

}  // namespace lockstep::gpu_stand_in
