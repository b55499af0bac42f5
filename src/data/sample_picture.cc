#include "data/sample_picture.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "data/png.h"
#include "data/sample_values.h"

namespace lockstep {

bool has_pictures(const ProblemShape& shape) {
  const Shape& input = shape.input;
  return shape.sample == ProblemShape::Sample::row && shape.input_type == DType::float32 && input.rank() == 3 &&
         (input[2] == 1 || input[2] == 3) && input.elements() > 0;
}

std::string sample_picture(const Problem& problem, Split split, std::int64_t sample) {
  const ProblemShape shape = problem.shape();
  const std::vector<float> values = read_sample(problem, split, sample).input;
  const auto [lowest, highest] = std::ranges::minmax(values);
  const float scale = highest > lowest ? 255 / (highest - lowest) : 0;
  const std::int64_t height = shape.input[0], width = shape.input[1], channels = shape.input[2];
  const std::int64_t stride = (std::max(height, width) + kMostPicturePixels - 1) / kMostPicturePixels;
  std::vector<std::byte> pixels;
  for (std::int64_t y = 0; y < height; y += stride) {
    for (std::int64_t x = 0; x < width; x += stride) {
      for (std::int64_t channel = 0; channel < channels; ++channel) {
        const float value = values[static_cast<std::size_t>((y * width + x) * channels + channel)];
        const float grey = std::clamp((value - lowest) * scale, 0.0F, 255.0F);
        pixels.push_back(static_cast<std::byte>(grey + 0.5F));
      }
    }
  }
  return png_of(
      pixels, {.width = (width + stride - 1) / stride, .height = (height + stride - 1) / stride, .channels = channels});
}

}  // namespace lockstep
