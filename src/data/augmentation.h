#pragma once

#include <cstdint>
#include <vector>

#include "base/hparams.h"
#include "tensor/batch.h"
#include "tensor/problem_shape.h"

namespace lockstep {

// Changes images of the training split at random, so that a model does not memorise them: each may be mirrored
// left-right, then moved. The change is a function of (seed, step, sample): the same for any number of ranks, and
// different in every epoch. Needs no memory per batch; one thread at a time.
class Augmentation {
 public:
  struct Options {
    std::int64_t shift = 0;  // pixels: moved by dx and dy, each drawn evenly from -shift .. shift; zeros come in
    bool flip = false;       // mirrored with probability 1/2
    std::uint64_t seed = 1;

    bool any() const { return shift != 0 || flip; }
  };

  // Throws Error(usage) if shift is negative; Error(configuration) if the inputs are not images of numbers, (height,
  // width, channels) with the channels last, or shift would move all of one out of sight.
  Augmentation(const ProblemShape& shape, const Options& options);

  // Changes the inputs of a batch, (B, height, width, channels) float32, for `step`.
  void apply(const Batch& batch, std::int64_t step);

  // The random change of one image. It is mirrored first, then moved: out(y, x) = in(y - dy, x - dx) of the mirrored
  // image.
  struct Change {
    bool mirrored = false;
    std::int64_t dx = 0;
    std::int64_t dy = 0;
  };
  Change change(std::int64_t step, std::int64_t sample) const;

 private:
  void apply(const Change& change, std::span<float> image);

  Options options_;
  std::int64_t height_ = 0;
  std::int64_t width_ = 0;
  std::int64_t channels_ = 0;
  std::vector<float> before_;  // one image
};

// augment_shift and augment_flip, with defaults that change nothing.
HParams augmentation_hparams();
// The options that hparams ask for; a set without them asks for none. Throws Error(usage) on a negative augment_shift.
Augmentation::Options augmentation_options(const HParams& hparams, std::uint64_t seed);

}  // namespace lockstep
