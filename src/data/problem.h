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

#include "data/sequences/sequence_pair.h"
#include "data/sequences/tokenizer.h"
#include "tensor/problem_shape.h"

namespace lockstep {

enum class Split { train, dev, test };
inline constexpr std::array kAllSplits{Split::train, Split::dev, Split::test};
const char* name(Split split);
// Text for a message about a missing split: "there are train and dev: --eval_split=train asks for one of them".
std::string splits_there(const std::vector<std::string>& names);

// The place where a reader puts one sample. A sample that is a row (ProblemShape::sample) has all but `pair`, the row
// of a batch; a sequence has `pair` alone.
struct SampleSlot {
  std::span<float> input{};       // shape().input elements of a float32 problem, else empty
  std::int32_t* label = nullptr;  // class of a Target::class_label problem, 0 <= label < shape().outputs; else nullptr
  std::span<float> target{};      // shape().outputs numbers of a Target::real problem, else empty
  std::span<std::int32_t> ids{};  // shape().input elements of an int32 problem, each in [0, vocabulary), else empty
  SequencePair* pair = nullptr;   // sequences, overwritten; else nullptr
};

// Fills a target that is not used: label 0, numbers 0.
void leave_target_empty(const SampleSlot& slot);

// Layout of a split that is too large, or on a disk too slow, to be read in any order: blocks of neighbouring samples.
// The order of an epoch goes through windows of `window_blocks` blocks and shuffles within a window, so that a reader
// needs no more than a window in memory (data/shard_plan.h).
struct BlockLayout {
  std::int64_t block = 0;  // samples per block; 0: samples can be read in any order
  std::int64_t window_blocks = 1;
};

// A data set: the shape of the samples, which are rows or sequences, how many there are, and each of them by number.
// Made once per rank (making it may read files; every rank reads for itself, no communication), then only read: const
// methods may be called by any threads at once.
class Problem {
 public:
  virtual ~Problem() = default;
  virtual ProblemShape shape() const = 0;
  // Number of samples in a split, 0 if the problem lacks it.
  virtual std::int64_t count(Split split) const = 0;
  // Fills slot with sample `sample`, 0 <= sample < count(split): a pure function of its number.
  // Throws Error(bad_data) that names file and sample.
  virtual void read(Split split, std::int64_t sample, const SampleSlot& slot) const = 0;
  // Lengths of a sample, from which batches are planned; without reading the sample if that is cheaper. REQUIRES: 0 <=
  // sample < count(split).
  virtual SequenceLengths lengths(Split /*split*/, std::int64_t /*sample*/) const {
    return {.inputs = 0, .targets = 1};
  }
  // Returns whether samples are cut to hparam max_length, so that another max_length gives other samples.
  virtual bool cut_to_length() const { return false; }

  // The tokenizer, of a kind in the registry, which makes symbols of texts and texts of symbols; nullptr if samples
  // have no symbols, or they stand for no text. shape() has its digest, and its size() as vocabulary and outputs.
  virtual TokenizerPointer tokenizer() const { return nullptr; }

  // Oddities of the data, a line each, for a warning at the start. The same on every rank.
  virtual std::vector<std::string> remarks() const { return {}; }
  // Decisions about the data that are not odd, a line each. The same on every rank.
  virtual std::vector<std::string> notes() const { return {}; }

  // Layout in which the training split should be read.
  virtual BlockLayout layout() const { return {}; }
  // A hint that samples of this block of the training split will be read soon: a reader that keeps blocks loads it.
  virtual void expect_block(std::int64_t /*block*/) const {}
};

// Options from which a problem is made.
struct ProblemOptions {
  std::string data_dir{};  // --data_dir, "" if none was given
  std::uint64_t seed = 1;  // seed of generated data
  // Number of classes, for labels that the data do not bound, or bound too low; none or 0: as the data say.
  std::optional<std::int64_t> num_classes{};
  // True if the user chose a loss of numbers to predict (hparam loss). If false, float targets that look like class
  // labels are refused.
  bool numbers_meant = false;
  // True if inputs are normalised to mean 0 and stddev 1 (hparam normalize_inputs), so that their scale does not
  // matter.
  bool normalized = false;
  // For sequences: what makes symbols of a text (hparam text_unit), the number of symbols in a sequence cut from a text
  // (max_length, at least 1 if there is a text), and the number of different symbols or words (vocab_size; 0: as the
  // data say).
  TokenizerKind tokenizer = character_tokenizer();
  std::int64_t max_length = 0;
  std::int64_t vocab_size = 0;

  // Called from time to time while a text is read, which may take minutes; what it throws ends the reading.
  std::function<void()> while_reading{};

  // The rest is for an existing model (schedules evaluate, predict). A problem of a user's library need not know these
  // options: the caller checks its shape.
  //
  // The only split to read; none: all. Files of the others are not opened; if its own are missing, making the problem
  // throws Error(missing_input) that names the splits that exist.
  std::optional<Split> only{};
  // Shape that the model was made for. shape() agrees with it, and nothing is derived from the training split; data of
  // another shape, and labels outside the model's classes, are Error(bad_data).
  std::optional<ProblemShape> known{};
  // The tokenizer of that model; nullptr if it has none, or the checkpoint lacks it.
  TokenizerPointer known_tokenizer{};
  // false: targets are not used. They are not read and need not exist; read() gives label 0 and zeros. Targets of
  // sequences are read anyway: a model's inputs are made from them. REQUIRES: known.
  bool needs_targets = true;
  // true: the dev split is the part that the model's run held out of its training split (--holdout), and no other dev
  // split is read: messages about the existing splits leave it out.
  bool dev_is_held_out = false;
};
using ProblemFactory = std::function<std::unique_ptr<Problem>(const ProblemOptions&)>;

// Throws Error(bad_data) for a split of more than kMostSequences (tensor/batch.h), if samples are sequences.
void check_counts(const Problem& problem);

}  // namespace lockstep
