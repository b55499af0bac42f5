#include "data/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/error.h"
#include "data/arrays/array_blocks.h"

namespace lockstep {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max() - 1;  // classes are counted in 32 bits too

[[noreturn]] void refuse(const ArrayForm& form, std::int64_t sample, const std::string& label, const std::string& why) {
  throw Error(ExitCode::bad_data,
              fmt::format("{}: sample {} (counted from 0) has label {}{}", form.name, sample, label, why));
}

[[noreturn]] void refuse_first_outside(const Labels& labels, const ArrayForm& form, std::int64_t classes,
                                       const std::string& whose, const std::string& cure) {
  const auto outside = std::ranges::find_if(labels.values, [&](std::int32_t label) { return label >= classes; });
  refuse(form, outside - labels.values.begin(), fmt::format("{}", *outside),
         fmt::format(", outside the {} classes 0 to {} that {}; {}", classes, classes - 1, whose, cure));
}

}  // namespace

Labels read_labels(const ArraySource& source) {
  const ArrayForm& form = source.form();
  const std::int64_t piece = block_rows(form);
  std::vector<std::byte> bytes(static_cast<std::size_t>(piece * form.row_bytes()));
  Labels labels;
  labels.values.reserve(static_cast<std::size_t>(form.rows()));
  for (std::int64_t first = 0; first < form.rows(); first += piece) {
    const std::int64_t count = std::min(piece, form.rows() - first);
    const std::span read = std::span(bytes).first(static_cast<std::size_t>(count * form.row_bytes()));
    source.read(first, count, read);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto label = integer_at(form.type, read, static_cast<std::size_t>(i));
      if (!label || *label > kLargest) {
        refuse(form, first + i, label ? fmt::format("{}", *label) : "beyond 2^63",
               fmt::format("; classes are numbered from 0 and at most {}: renumber them, with numpy's "
                           "unique(targets, return_inverse=True)[1] of all splits together",
                           kLargest));
      }
      if (*label < 0) {
        refuse(form, first + i, fmt::format("{}", *label),
               "; classes are numbered from 0: leave samples without a class out, or renumber the classes "
               "from 0, with numpy's unique(targets, return_inverse=True)[1] of all splits together");
      }
      labels.values.push_back(static_cast<std::int32_t>(*label));
    }
  }
  labels.largest_at = std::ranges::max_element(labels.values) - labels.values.begin();
  return labels;
}

void check_labels(const Labels& labels, const ArrayForm& form, std::int64_t classes, std::int64_t smallest) {
  if (labels.largest() < classes) return;
  const std::string cure =
      smallest >= 1 && labels.largest() == classes
          ? fmt::format("the labels are {} to {}: save targets - 1 in every split", smallest, classes)
          : "give a larger num_classes or fix the data";
  refuse_first_outside(labels, form, classes, "num_classes allows", cure);
}

void check_labels_of_model(const Labels& labels, const ArrayForm& form, std::int64_t classes) {
  if (labels.largest() < classes) return;
  refuse_first_outside(labels, form, classes, "the model knows",
                       "number the classes as in the data it was trained on, or give the checkpoint of another model");
}

}  // namespace lockstep
