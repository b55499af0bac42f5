#include "support/gpu/tensor_core.h"

#include <doctest/doctest.h>

#include <vector>

#include "support/gpu/device_code.h"
#include "tensor/cpu/host_tensor.h"
#include "tensor/cuda/warp_tile.h"

namespace lockstep {
namespace {

using gpu_stand_in::run_grid;

constexpr int kDepth = 16;

Host<float> matrix(std::int64_t rows, std::int64_t columns, std::uint16_t stream) {
  Host<float> values({rows, columns}, stream);
  for (float& value : values.data) value = widened(narrowed<BFloat16>(value));
  return values;
}

// The layout of mma.m16n8k16 in the PTX ISA ("Matrix Fragments for mma.m16n8k16 with floating point type"): groupID is
// lane / 4, threadID_in_group lane % 4; each register has two of a's eight elements a0 to a7, or of b's four.
int a_row(int lane, int i) { return i < 2 || (4 <= i && i < 6) ? lane / 4 : lane / 4 + 8; }
int a_column(int lane, int i) { return i < 4 ? lane % 4 * 2 + (i & 1) : lane % 4 * 2 + (i & 1) + 8; }
int b_row(int lane, int i) { return i < 2 ? lane % 4 * 2 + (i & 1) : lane % 4 * 2 + (i & 1) + 8; }
int b_column(int lane) { return lane / 4; }

TEST_CASE("a warp's product of the stand-in takes and gives fragments as a tensor core's does") {
  const Host<float> a = matrix(kTileRows, kDepth, 1);
  const Host<float> b = matrix(kDepth, kTileColumns, 2);
  const Host<float> before({kTileRows, kTileColumns}, 3);
  const auto at = [](const Host<float>& of, int row, int column) {
    return of.data[static_cast<std::size_t>(row * of.shape[1] + column)];
  };
  std::vector<float> sums(before.data.size());
  run_grid(1, kWarp, [&] {
    const int lane = own_lane();
    std::uint32_t left[4];
    std::uint32_t right[2];
    for (int i = 0; i < 8; i += 2) {
      left[i / 2] =
          bfloat16_pair(at(a, a_row(lane, i), a_column(lane, i)), at(a, a_row(lane, i + 1), a_column(lane, i + 1)));
    }
    for (int i = 0; i < 4; i += 2) {
      right[i / 2] = bfloat16_pair(at(b, b_row(lane, i), b_column(lane)), at(b, b_row(lane, i + 1), b_column(lane)));
    }
    float own[4];
    for (int e = 0; e < 4; ++e) own[e] = at(before, own_row(e), own_column(e));
    add_warp_product(own, left, right);
    for (int e = 0; e < 4; ++e) sums[static_cast<std::size_t>(own_row(e) * kTileColumns + own_column(e))] = own[e];
  });
  for (int row = 0; row < kTileRows; ++row) {
    for (int column = 0; column < kTileColumns; ++column) {
      float expected = at(before, row, column);
      for (int k = 0; k < kDepth; ++k) expected += at(a, row, k) * at(b, k, column);
      CHECK(sums[static_cast<std::size_t>(row * kTileColumns + column)] == doctest::Approx(expected).epsilon(1e-6));
    }
  }
}

TEST_CASE("a pair is rounded to nearest, ties to even, its first in the lower half") {
  CHECK(bfloat16_pair(1.0F, -2.0F) == 0xC0003F80U);
  CHECK(bfloat16_pair(0x1.01p0F, 0x1.03p0F) == 0x3F823F80U);  // halfway between two
}

}  // namespace
}  // namespace lockstep
