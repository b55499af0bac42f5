#pragma once

#include "data/problem.h"

namespace lockstep {

// `image_shapes`: grey images (28, 28, 1) of ten drawn shapes, to be classified. Needs no files: every image is
// computed from (seed, split, sample) when it is read, in integers, so that it is the same on every machine. Place,
// size, stroke, brightness and noise vary, which is more than a linear model can learn. 20000 images to train, 2000 for
// development, 4000 to test, as many of every class.
class ImageShapesProblem final : public Problem {
 public:
  // In the order of the class labels.
  enum class Kind { disc, ring, square, frame, triangle, plus, cross, horizontal_bars, vertical_bars, checkerboard };
  static constexpr int kKinds = 10;
  static constexpr int kSide = 28;

  explicit ImageShapesProblem(std::uint64_t seed) : seed_(seed) {}

  ProblemShape shape() const override;
  std::int64_t count(Split split) const override;
  void read(Split split, std::int64_t sample, const SampleSlot& slot) const override;

 private:
  std::uint64_t seed_;
};

}  // namespace lockstep
