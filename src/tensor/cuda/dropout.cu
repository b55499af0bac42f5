#include <algorithm>
#include <cmath>
#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/block_reduction.h"
#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/device_data.h"

namespace lockstep {
namespace {

constexpr int kDrawn = 4;  // elements per Philox block

struct alignas(kDrawn * sizeof(float)) Four {  // read and written in one access
  float values[kDrawn];
};

struct DropoutForm {
  RandomStream stream;
  std::uint32_t threshold;  // words below it drop their elements
  float keep_scale;
  std::int64_t width;   // elements of a row
  std::uint32_t fours;  // fours in a row, the last one maybe shorter
  bool aligned;         // all fours are whole and lie where a Four can

  // Word j of block i of a sample's stream is for element 4 i + j of its row.
  __device__ PhiloxBlock words(std::int64_t sample, std::uint32_t block) const {
    RandomStream own = stream;
    own.sample = static_cast<std::uint64_t>(sample);
    return own.block(block);
  }
  __device__ float dropped(std::uint32_t word, float x) const { return word >= threshold ? x * keep_scale : 0.0F; }
};

__device__ void drop_four(const DropoutForm& form, const PhiloxBlock& words, const float* x, float* y) {
  Four four = *reinterpret_cast<const Four*>(x);
  for (int j = 0; j < kDrawn; ++j) four.values[j] = form.dropped(words[static_cast<unsigned>(j)], four.values[j]);
  *reinterpret_cast<Four*>(y) = four;
}

__global__ void dropout_kernel(DropoutForm form, const std::int64_t* sample_ids, std::uint32_t count, const float* x,
                               float* y) {
  for (std::int64_t i = first_index(); i < count; i += index_stride()) {
    const std::uint32_t row = static_cast<std::uint32_t>(i) / form.fours;
    const std::uint32_t block = static_cast<std::uint32_t>(i) % form.fours;
    const PhiloxBlock words = form.words(sample_ids[row], block);
    const std::int64_t column = std::int64_t{kDrawn} * block;
    const std::int64_t at = row * form.width + column;
    if (form.aligned) {
      drop_four(form, words, x + at, y + at);
      continue;
    }
    const std::int64_t rest = form.width - column;
    for (int j = 0; j < kDrawn; ++j) {
      if (j < rest) y[at + j] = form.dropped(words[static_cast<unsigned>(j)], x[at + j]);
    }
  }
}

bool has_place_for_four(const float* elements) {
  return reinterpret_cast<std::uintptr_t>(elements) % sizeof(Four) == 0;
}

}  // namespace

void CudaBackend::dropout(double rate, const RandomStream& stream, const Tensor& sample_ids, const Tensor& x,
                          const Tensor& y) {
  begin({sample_ids, x, y});
  LS_CHECK(rate >= 0 && rate < 1, "a dropout rate is in [0, 1)");
  LS_CHECK(x.count() == y.count() && x.shape()[0] == sample_ids.count(), "dropout of unlike tensors");
  if (x.count() == 0) return;
  const std::int64_t width = x.count() / sample_ids.count();
  const std::int64_t fours = (width + kDrawn - 1) / kDrawn;
  const std::int64_t count = sample_ids.count() * fours;
  LS_CHECK(count <= UINT32_MAX, "dropout of more elements than a GPU has memory for");
  const float* const in = data_of<float>(x);
  float* const out = data_of<float>(y);
  const DropoutForm form{
      .stream = stream,
      .threshold = static_cast<std::uint32_t>(std::lround(std::min(rate * 0x1p32, 0x1p32 - 1))),
      .keep_scale = static_cast<float>(1 / (1 - rate)),
      .width = width,
      .fours = static_cast<std::uint32_t>(fours),
      .aligned = width % kDrawn == 0 && has_place_for_four(in) && has_place_for_four(out),
  };
  launch(stream_, grid_of(count), &dropout_kernel, form, data_of<std::int64_t>(sample_ids),
         static_cast<std::uint32_t>(count), in, out);
}

}  // namespace lockstep
