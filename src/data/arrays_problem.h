#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/array_files.h"
#include "data/array_rows.h"
#include "data/labels.h"
#include "data/problem.h"
#include "data/read_ahead.h"

namespace lockstep {

// `arrays`: data of one's own, as arrays in --data_dir: train.h5 (and dev.h5, test.h5) with the data sets `inputs` and
// `targets`, or train_inputs.npy and train_targets.npy (and dev_, test_).
//
//   inputs   (N, ...), up to five axes with the samples': uint8, given as value / 255, or floats, given as they are
//   targets  integers (N) or (N, 1): class labels. Floats (N) or (N, K): numbers to predict, which may not look like
//            labels (data/float_labels.h) unless the user chose a loss of numbers
//
// There are num_classes classes (an option, or an attribute of that name on the targets of train.h5), else as many as
// the largest label of all splits asks for.
//
// Training inputs up to kInMemoryBytes are read when the problem is made. Larger ones stay in their file and are read
// in blocks, as layout() says (data/array_blocks.h); labels are in memory in any case.
// Of a model that is known (ProblemOptions) no split is trained on: what is large is read front to back.
//
// Making one throws Error(usage) without --data_dir; Error(missing_input) that says which files were looked for;
// Error(configuration) if it is not clear which are meant; Error(bad_data) for files that are damaged, hold something
// else, or do not belong together, for labels outside the classes and for NaN. What is not in memory is checked as it
// is read: read() throws then.
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
    bool stream_targets = false;  // in the blocks of the inputs
  };
  enum class Order { any, front_to_back };  // in which the samples of a split are read

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
  std::unique_ptr<ReadAhead> read_ahead_;  // of a streamed training split; the last member: its thread uses the others
};

}  // namespace lockstep
