#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/sequences/text_unit.h"
#include "tensor/problem_shape.h"

namespace lockstep {

class SequenceSource;  // data/sequences/sequence_source.h

enum class Split { train, dev, test };
inline constexpr std::array kAllSplits{Split::train, Split::dev, Split::test};
const char* name(Split split);
// Where a split is missing: which there are, "train" and "dev", and how to ask for one of them.
std::string splits_there(const std::vector<std::string>& names);

// Where a reader puts one sample: its row in a batch.
struct SampleSlot {
  std::span<float> input;         // shape().input elements of a float32 problem, else empty
  std::int32_t* label;            // of a Target::class_label problem, 0 <= label < shape().outputs; else nullptr
  std::span<float> target;        // of a Target::real problem, else empty
  std::span<std::int32_t> ids{};  // shape().input elements of an int32 problem, each in [0, vocabulary), else empty
};

// For a sample whose target nobody will look at: label 0, numbers 0.
void leave_target_empty(const SampleSlot& slot);

// How the samples of a split lie on a disk that is too slow, or hold too many of them, to be read in any order: blocks
// of neighbours. The order of an epoch goes through windows of `window_blocks` blocks and shuffles within a window, so
// that a reader needs no more than a window in memory (data/shard_plan.h).
struct BlockLayout {
  std::int64_t block = 0;  // samples of a block; 0: samples can be read in any order
  std::int64_t window_blocks = 1;
};

// A data set with its meaning: what the samples look like, how many there are, and each of them by number.
// Made once per rank (making it may read files; every rank reads for itself, no communication), then only read:
// read() may be called by any threads at once.
class Problem {
 public:
  virtual ~Problem() = default;
  virtual ProblemShape shape() const = 0;
  // Samples of a split, 0 if the problem has none of it.
  virtual std::int64_t count(Split split) const = 0;
  // Fills slot with sample `sample`, 0 <= sample < count(split): a pure function of its number.
  // Throws Error(bad_data) that names file and sample.
  // REQUIRES: samples that are one row each.
  virtual void read(Split split, std::int64_t sample, const SampleSlot& slot) const = 0;
  // The samples of a problem of sequences (ProblemShape::has_sequences()), which it owns; of others nullptr.
  virtual const SequenceSource* sequences() const { return nullptr; }

  // What is odd about the data, a line each, for a warning at the start. The same on every rank.
  virtual std::vector<std::string> remarks() const { return {}; }
  // Decisions about the data that are nothing odd, a line each. The same on every rank.
  virtual std::vector<std::string> notes() const { return {}; }

  // How the training split wants to be read.
  virtual BlockLayout layout() const { return {}; }
  // A hint that samples of this block of the training split will be read soon: a reader that keeps blocks loads it.
  virtual void expect_block(std::int64_t /*block*/) const {}
};

// What a problem is made from.
struct ProblemOptions {
  std::string data_dir{};  // --data_dir, "" if none was given
  std::uint64_t seed = 1;  // for generated data
  // Of class labels that the data do not bound, or bound too low; none or 0: as the data say.
  std::optional<std::int64_t> num_classes{};
  // Whether the user chose a loss of numbers to predict (hparam loss): float targets are then what they are, else those
  // that look like class labels are refused.
  bool numbers_meant = false;
  // Whether inputs are brought to mean 0 and stddev 1 (hparam normalize_inputs), so that their scale does not matter.
  bool normalized = false;
  // Of sequences: what a symbol of a text is (hparam text_unit), how many symbols a sequence cut from it has
  // (max_length, at least 1 where there is a text), and how many kinds of symbols or words there are (vocab_size; 0: as
  // the data say).
  TextUnit text_unit = TextUnit::character;
  std::int64_t max_length = 0;
  std::int64_t vocab_size = 0;

  // Called from time to time while a text is read, which may take minutes; what it throws ends the reading.
  std::function<void()> while_reading{};

  // For a model that is there already (schedules evaluate, predict). A problem of a user's library need not know of
  // these: whoever made it checks its shape.
  //
  // The one split that is read, none: all. Files of the others are not opened; if its own are not there, making the
  // problem throws Error(missing_input) that says which splits are.
  std::optional<Split> only{};
  // What the model was made for. shape() agrees with it, and nothing is looked for in the training split; data of
  // another shape, and labels outside the model's classes, are Error(bad_data).
  std::optional<ProblemShape> known{};
  // false: nobody will look at targets. They are not read, nor need they be there; read() gives label 0 and zeros.
  // Targets of sequences are read all the same: a model's inputs are made from them.
  // REQUIRES: known.
  bool needs_targets = true;
  // true: the dev split is what the model's run held out of its training split (--holdout), and no other one is read:
  // a message on what there is leaves it out.
  bool dev_is_held_out = false;
};
using ProblemFactory = std::function<std::unique_ptr<Problem>(const ProblemOptions&)>;

}  // namespace lockstep
