#include "data/arrays/arrays_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/error.h"
#include "data/arrays/array_blocks.h"
#include "data/arrays/array_forms.h"
#include "data/arrays/float_labels.h"
#include "data/input_remarks.h"
#include "data/label_remarks.h"
#include "data/problems.h"

namespace lockstep {
namespace {

bool in_memory(const ArrayForm& form, std::int64_t most_bytes) { return form.rows() * form.row_bytes() <= most_bytes; }

// The part of an array that is kept in memory: rows per block, and number of blocks.
struct Keeping {
  std::int64_t block_rows;
  std::int64_t blocks;
};
constexpr std::int64_t kAllBlocks = std::int64_t{1} << 31;

Keeping keep_all(const ArrayForm& form) { return {.block_rows = block_rows(form), .blocks = kAllBlocks}; }

// Evaluation reads front to back and needs no window: a large array passes through a few blocks.
Keeping pass_through(const ArrayForm& form) {
  constexpr std::int64_t kPassedThrough = 4;
  if (in_memory(form, kWindowBytes)) return keep_all(form);
  return {.block_rows = block_rows(form), .blocks = kPassedThrough};
}

// Opens the rows. An array that is kept as a whole is read, and so checked, at once.
std::unique_ptr<ArrayRows> open_rows(std::unique_ptr<const ArraySource> source, const Keeping& keeping) {
  auto rows = std::make_unique<ArrayRows>(std::move(source), keeping.block_rows, keeping.blocks);
  if (keeping.blocks < rows->blocks()) return rows;
  for (std::int64_t block = 0; block < rows->blocks(); ++block) rows->load(block);
  return rows;
}

// The requested number of classes: the option, or the attribute in the file. They must not contradict each other.
std::optional<std::int64_t> wanted_classes(const SplitArrays& train, const ProblemOptions& options) {
  const std::optional<std::int64_t> option = options.num_classes.value_or(0) > 0 ? options.num_classes : std::nullopt;
  const std::optional<std::int64_t> attribute = train.num_classes;
  constexpr std::int64_t kMaxClasses = std::numeric_limits<std::int32_t>::max();  // labels are int32
  if (attribute && (*attribute < 1 || *attribute > kMaxClasses)) {
    throw Error(ExitCode::bad_data, fmt::format("{}: its attribute num_classes is {}; it has to be between 1 and {}",
                                                train.targets->form().name, *attribute, kMaxClasses));
  }
  if (option && attribute && *option != *attribute) {
    throw Error(ExitCode::configuration,
                fmt::format("num_classes={}, but {} has the attribute num_classes {}; leave the one that is wrong out",
                            *option, train.targets->form().name, *attribute));
  }
  return option ? option : attribute;
}

// Labels that are not class numbers (keys, hashes) would need a model larger than any memory.
void check_class_number(const Labels& labels, const ArrayForm& form) {
  constexpr std::int64_t kPlausible = 1'000'000;
  const std::int64_t classes = labels.largest() + 1;
  if (classes <= std::max(kPlausible, form.rows())) return;
  throw Error(ExitCode::bad_data,
              fmt::format("{}: sample {} (counted from 0) has label {}, which asks for {} classes, more than there are "
                          "samples; number the classes from 0 without gaps, or give num_classes",
                          form.name, labels.largest_at, labels.largest(), classes));
}

}  // namespace

// Checks that cost nothing come first, for all files, then those that read the data.
ArraysProblem::ArraysProblem(const ProblemOptions& options) {
  OpenedArrays opened = open_arrays(options);
  if (options.known) {
    fit_to_model(opened, *options.known);
  } else {
    find_shape(opened, options);
  }
  for (const Split split : kAllSplits) {
    const bool trained = split == Split::train && !options.known;
    if (opened[split]) {
      read_numbers(split, std::move(*opened[split]), trained ? Order::any : Order::front_to_back);
    }
  }
  if (layout_.block == 0 || options.known) return;
  read_ahead_ = std::make_unique<ReadAhead>(
      [this](std::int64_t block) {
        of(Split::train).inputs->load(block);
        if (of(Split::train).stream_targets) of(Split::train).targets->load(block);
      },
      static_cast<std::size_t>(2 * layout_.window_blocks));
}

void ArraysProblem::fit_to_model(const OpenedArrays& opened, const ProblemShape& model) {
  shape_ = model;
  for (const Split split : kAllSplits) {
    if (opened[split]) check_fits(*opened[split], model);
  }
  if (opened[Split::train]) layout_ = training_layout(opened[Split::train]->inputs->form());  // as training had it
  if (model.target != ProblemShape::Target::class_label) return;
  for (const Split split : kAllSplits) {
    if (!opened[split] || opened[split]->targets == nullptr) continue;
    const ArraySource& targets = *opened[split]->targets;
    of(split).labels = read_labels(targets);
    check_labels_of_model(of(split).labels, targets.form(), model.outputs);
  }
}

// Uses the training split, or the only split that is read.
void ArraysProblem::find_shape(const OpenedArrays& opened, const ProblemOptions& options) {
  const Split reference = options.only.value_or(Split::train);
  const SplitArrays& arrays = *opened[reference];
  shape_ = problem_shape_of(arrays);
  for (const Split split : kAllSplits) {
    if (split != reference && opened[split]) check_fits(*opened[split], arrays);
  }
  if (reference == Split::train) layout_ = training_layout(arrays.inputs->form());
  if (shape_.target == ProblemShape::Target::class_label) {
    read_labels_of(opened, reference, options);
  } else if (wanted_classes(arrays, options)) {
    throw Error(
        ExitCode::configuration,
        fmt::format("num_classes is given, but {} has floats, numbers to predict; save class labels as integers, "
                    "or leave num_classes out",
                    arrays.targets->form().name));
  } else if (!options.numbers_meant) {
    refuse_float_labels(*arrays.targets);
  }
  if (!options.normalized) std::ranges::copy(input_remarks(*arrays.inputs), std::back_inserter(remarks_));
}

void ArraysProblem::read_labels_of(const OpenedArrays& opened, Split reference, const ProblemOptions& options) {
  const std::optional<std::int64_t> wanted = wanted_classes(*opened[reference], options);
  shape_.outputs = wanted.value_or(0);
  std::int64_t smallest = std::numeric_limits<std::int32_t>::max();
  for (const Split split : kAllSplits) {
    const auto& arrays = opened[split];
    if (!arrays) continue;
    const ArrayForm& form = arrays->targets->form();
    Labels& labels = of(split).labels;
    labels = read_labels(*arrays->targets);
    smallest = std::min(smallest, labels.smallest());
    if (wanted) continue;
    check_class_number(labels, form);
    shape_.outputs = std::max(shape_.outputs, labels.largest() + 1);
  }
  for (const Split split : kAllSplits) {
    const auto& arrays = opened[split];
    if (arrays && wanted) check_labels(of(split).labels, arrays->targets->form(), *wanted, smallest);
  }
  if (reference != Split::train) return;
  remarks_ = label_remarks({.train = of(Split::train).labels.values,
                            .dev = of(Split::dev).labels.values,
                            .test = of(Split::test).labels.values},
                           wanted);
}

void ArraysProblem::read_numbers(Split split, SplitArrays arrays, Order order) {
  Samples& samples = of(split);
  const auto whole = order == Order::any ? keep_all : pass_through;
  const bool streamed = split == Split::train && layout_.block > 0 && order == Order::any;
  const Keeping window{.block_rows = layout_.block, .blocks = blocks_to_keep(layout_)};
  if (shape_.target == ProblemShape::Target::real && arrays.targets != nullptr) {
    const ArrayForm& form = arrays.targets->form();
    samples.stream_targets = streamed && !in_memory(form, kInMemoryBytes);
    const Keeping keeping = samples.stream_targets ? window : whole(form);
    samples.targets = open_rows(std::move(arrays.targets), keeping);
  }
  const Keeping keeping = streamed ? window : whole(arrays.inputs->form());
  samples.inputs = open_rows(std::move(arrays.inputs), keeping);
}

std::int64_t ArraysProblem::count(Split split) const {
  const Samples& samples = of(split);
  return samples.inputs == nullptr ? 0 : samples.inputs->form().rows();
}

void ArraysProblem::read(Split split, std::int64_t sample, const SampleSlot& slot) const {
  LS_CHECK(sample >= 0 && sample < count(split), "no such sample");
  const Samples& samples = of(split);
  samples.inputs->read(sample, slot.input);
  if (samples.targets != nullptr) {
    samples.targets->read(sample, slot.target);
  } else if (!samples.labels.values.empty()) {
    *slot.label = samples.labels.values[static_cast<std::size_t>(sample)];
  } else {
    leave_target_empty(slot);
  }
}

void ArraysProblem::expect_block(std::int64_t block) const {
  if (read_ahead_ != nullptr) read_ahead_->expect(block);
}

std::unique_ptr<Problem> make_arrays(const ProblemOptions& options) { return std::make_unique<ArraysProblem>(options); }

}  // namespace lockstep
