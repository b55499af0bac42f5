#include "data/input_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "data/arrays/array_blocks.h"

namespace lockstep {
namespace {

// True if all values are whole numbers in 0 .. 255, with a 0 and one of at least 128 among them. Other units (years,
// degrees) rarely look like that.
bool look_like_pixels(std::span<const float> values) {
  constexpr float kBright = 128;
  constexpr float kBrightest = 255;
  const auto is_level = [](float value) { return value >= 0 && value <= kBrightest && value == std::floor(value); };
  return std::ranges::all_of(values, is_level) && std::ranges::find(values, 0.0F) != values.end() &&
         *std::ranges::max_element(values) >= kBright;
}

}  // namespace

std::vector<std::string> input_remarks(const ArraySource& inputs) {
  const ArrayForm& form = inputs.form();
  if (!is_float(form.type)) return {};
  const std::int64_t rows = std::min(block_rows(form), form.rows());
  std::vector<std::byte> bytes(static_cast<std::size_t>(rows * form.row_bytes()));
  std::vector<float> values(static_cast<std::size_t>(rows * form.row_elements()));
  inputs.read(0, rows, bytes);
  to_floats(form.type, bytes, values);
  if (!look_like_pixels(values)) return {};
  return {
      fmt::format("{}: inputs are floats from 0 to {:.0f}, passed to the model as they are: save inputs / 255 or uint8 "
                  "in every split, or give --hparams=normalize_inputs=True",
                  form.name, *std::ranges::max_element(values))};
}

}  // namespace lockstep
