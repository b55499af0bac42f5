#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/arrays/array_files.h"
#include "data/arrays/array_rows.h"
#include "data/arrays/read_ahead.h"
#include "data/labels.h"
#include "data/problem.h"

namespace lockstep {

// `arrays`: the user's own data, as arrays in --data_dir: train.h5 (and dev.h5, test.h5) with the data sets `inputs`
// and `targets`, or train_inputs.npy and train_targets.npy (and dev_, test_).
//
//   inputs   (N, ...), up to five axes with the samples': uint8, given as value / 255, or floats, given as they are
//   targets  integers (N) or (N, 1): class labels. Floats (N) or (N, K): numbers to predict, which may not look like
//            labels (data/arrays/float_labels.h) unless the user chose a loss of numbers
//
// There are num_classes classes (an option, or an attribute of that name on the targets of train.h5), else as many as
// the largest label of all splits asks for.
//
// Training inputs up to kInMemoryBytes are read when the problem is made. Larger ones stay in their file and are read
// in blocks, as layout() says (data/arrays/array_blocks.h); labels are always in memory. With a known model
// (ProblemOptions) no split is trained on: large arrays are read front to back.
//
// Making one throws Error(usage) without --data_dir; Error(missing_input) that names the files it looked for;
// Error(configuration) if it is ambiguous which are meant, or num_classes contradicts the data; Error(bad_data) for
// files that are damaged, hold something else, or do not belong together, for labels outside the classes and for NaN.
// Data that stay in the file are checked when they are read, by read().
class ArraysProblem final : public Problem {
 public:
  explicit ArraysProblem(const ProblemOptions& options);

  ProblemShape shape() const override { return shape_; }
  std::int64_t count(Split split) const override;
  void read(Split split, std::int64_t sample, const SampleSlot& slot) const override;
  BlockLayout layout() const override { return layout_; }
  void expect_block(std::int64_t block) const override;
  std::vector<std::string> remarks() const override { return remarks_; }

 private:
  // A split: its inputs, and its labels or numbers to predict.
  struct Samples {
    std::unique_ptr<ArrayRows> inputs;
    std::unique_ptr<ArrayRows> targets;
    Labels labels;
    bool stream_targets = false;  // targets are read in the blocks of the inputs
  };
  enum class Order { any, front_to_back };  // order of reading a split's samples

  void fit_to_model(const OpenedArrays& opened, const ProblemShape& model);
  void find_shape(const OpenedArrays& opened, const ProblemOptions& options);
  void read_labels_of(const OpenedArrays& opened, Split reference, const ProblemOptions& options);
  void read_numbers(Split split, SplitArrays arrays, Order order);
  const Samples& of(Split split) const { return samples_[static_cast<std::size_t>(split)]; }
  Samples& of(Split split) { return samples_[static_cast<std::size_t>(split)]; }

  ProblemShape shape_;
  BlockLayout layout_;
  std::vector<std::string> remarks_;
  std::array<Samples, 3> samples_;
  std::unique_ptr<ReadAhead> read_ahead_;  // null unless training is streamed; last member: its thread uses the others
};

}  // namespace lockstep
