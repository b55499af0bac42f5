#include "data/arrays/float_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/error.h"
#include "data/arrays/array_blocks.h"

namespace lockstep {
namespace {

constexpr float kLargestLabel = 999;

bool could_be_label(float value) { return value >= 0 && value <= kLargestLabel && value == std::floor(value); }

bool is_one_hot(std::span<const float> row) {
  return std::ranges::count(row, 1.0F) == 1 && std::ranges::count(row, 0.0F) == std::ssize(row) - 1;
}

// Returns whether all rows of a block could be labels.
bool could_be_labels(std::span<const float> values, std::size_t row_elements) {
  if (row_elements == 1) return std::ranges::all_of(values, could_be_label);
  for (; !values.empty(); values = values.subspan(row_elements)) {
    if (!is_one_hot(values.first(row_elements))) return false;
  }
  return true;
}

[[noreturn]] void refuse(const ArrayForm& form, const std::string& what, const std::string& cure) {
  throw Error(ExitCode::bad_data,
              fmt::format("{}: {}: that looks like class labels, but floats are numbers to predict. Save labels as "
                          "integers, numpy's {}, in every split; or, if they are numbers to predict, say so with "
                          "--hparams=loss=mean_squared_error",
                          form.name, what, cure));
}

}  // namespace

void refuse_float_labels(const ArraySource& targets) {
  const ArrayForm& form = targets.form();
  const std::int64_t piece = block_rows(form);
  const auto row_elements = static_cast<std::size_t>(form.row_elements());
  std::vector<std::byte> bytes(static_cast<std::size_t>(piece * form.row_bytes()));
  std::vector<float> values(static_cast<std::size_t>(piece) * row_elements);
  float smallest = kLargestLabel;
  float largest = 0;
  for (std::int64_t first = 0; first < form.rows(); first += piece) {
    const std::int64_t count = std::min(piece, form.rows() - first);
    const std::span read = std::span(bytes).first(static_cast<std::size_t>(count * form.row_bytes()));
    const std::span numbers = std::span(values).first(static_cast<std::size_t>(count) * row_elements);
    targets.read(first, count, read);
    to_floats(form.type, read, numbers);
    if (!could_be_labels(numbers, row_elements)) return;
    const auto [low, high] = std::ranges::minmax(numbers);
    smallest = std::min(smallest, low);
    largest = std::max(largest, high);
  }
  if (row_elements > 1) {
    refuse(form, fmt::format("each target has a single 1 among {} zeros", row_elements - 1),
           "targets.argmax(1).astype('int32')");
  }
  const auto classes = static_cast<std::int64_t>(largest) + 1;
  if (classes < 2 || 2 * classes > form.rows()) return;
  refuse(form, fmt::format("all {} targets are whole numbers from {} to {}", form.rows(), smallest, largest),
         smallest >= 1 ? fmt::format("(targets - {}).astype('int32')", smallest) : "targets.astype('int32')");
}

}  // namespace lockstep
