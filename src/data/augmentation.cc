#include "data/augmentation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/hparams_range.h"
#include "base/random.h"
#include "tensor/channel_order.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse(ExitCode code, const std::string& why) { throw Error(code, why, Scope::every_rank); }

// A number in -most .. most, each with probability 1 / (2 most + 1) to within 2^-32.
std::int64_t between(std::int64_t most, std::uint32_t word) {
  const std::uint64_t values = 2 * static_cast<std::uint64_t>(most) + 1;
  return static_cast<std::int64_t>(values * word >> 32) - most;
}

}  // namespace

HParams augmentation_hparams() { return HParams().set("augment_shift", std::int64_t{0}).set("augment_flip", false); }

Augmentation::Options augmentation_options(const HParams& hparams, std::uint64_t seed) {
  return {.shift = integer_or(0, hparams, "augment_shift", 0),
          .flip = boolean_or(false, hparams, "augment_flip"),
          .seed = seed};
}

Augmentation::Augmentation(const ProblemShape& shape, const Options& options) : options_(options) {
  if (options.shift < 0) {
    refuse(ExitCode::usage,
           fmt::format("hparam augment_shift is {}; it is a number of pixels and cannot be negative", options.shift));
  }
  if (shape.input_type != DType::float32 || shape.input.rank() != 3) {
    refuse(ExitCode::configuration,
           fmt::format("hparams augment_shift and augment_flip change images, (height, width, channels), but a sample "
                       "of this problem is {} of {}; leave them out",
                       shape.input.text(), shape.input_type == DType::float32 ? "numbers" : "symbols"));
  }
  if (channels_seem_first(shape.input)) {
    refuse(ExitCode::configuration, fmt::format("hparams augment_shift and augment_flip: images of {} {}",
                                                shape.input.text(), kChannelsLastCure));
  }
  height_ = shape.input[0];
  width_ = shape.input[1];
  channels_ = shape.input[2];
  if (options.shift >= std::min(height_, width_)) {
    refuse(ExitCode::configuration,
           fmt::format("hparam augment_shift is {}, but the images have {} x {} pixels: they would be moved out of "
                       "sight; usual are a few pixels",
                       options.shift, height_, width_));
  }
  before_.resize(static_cast<std::size_t>(shape.input.elements()));
}

Augmentation::Change Augmentation::change(std::int64_t step, std::int64_t sample) const {
  const RandomStream random{.seed = options_.seed,
                            .purpose = Purpose::augmentation,
                            .step = static_cast<std::uint32_t>(step),
                            .sample = static_cast<std::uint64_t>(sample)};
  const PhiloxBlock words = random.block(0);
  return {.mirrored = options_.flip && (words[0] >> 31) != 0,
          .dx = between(options_.shift, words[1]),
          .dy = between(options_.shift, words[2])};
}

void Augmentation::apply(const Batch& batch, std::int64_t step) {
  const std::span<float> inputs = batch.inputs.span<float>();
  const std::span<const std::int64_t> samples = batch.row_ids.span<std::int64_t>();
  for (std::size_t row = 0; row < samples.size(); ++row) {
    apply(change(step, samples[row]), inputs.subspan(row * before_.size(), before_.size()));
  }
}

void Augmentation::apply(const Change& change, std::span<float> image) {
  if (!change.mirrored && change.dx == 0 && change.dy == 0) return;
  std::ranges::copy(image, before_.begin());
  std::ranges::fill(image, 0.0F);
  const std::int64_t first_x = std::max<std::int64_t>(0, change.dx);
  const std::int64_t last_x = std::min(width_, width_ + change.dx);
  for (std::int64_t y = std::max<std::int64_t>(0, change.dy); y < std::min(height_, height_ + change.dy); ++y) {
    const float* const from = before_.data() + (y - change.dy) * width_ * channels_;
    float* const to = image.data() + y * width_ * channels_;
    for (std::int64_t x = first_x; x < last_x; ++x) {
      const std::int64_t source = change.mirrored ? width_ - 1 - (x - change.dx) : x - change.dx;
      std::copy_n(from + source * channels_, channels_, to + x * channels_);
    }
  }
}

}  // namespace lockstep
