// A problem of your own: the shape of a sample, the number of samples, and each sample by its number.
// `train --usr_lib=` loads it.
#include <cmath>
#include <numbers>

#include "base/random.h"
#include "model/image_models.h"
#include "train/registry/registry.h"

using namespace lockstep;

namespace {

// Points in the plane on three arms of a spiral, to be classified by arm: a linear model cannot do it.
class Spirals final : public Problem {
 public:
  explicit Spirals(std::uint64_t seed) : seed_(seed) {}

  ProblemShape shape() const override {
    return {.input = {2}, .target = ProblemShape::Target::class_label, .outputs = kArms};
  }

  std::int64_t count(Split split) const override { return split == Split::train ? 6000 : 1500; }

  // Called by several threads at once. Has to return the same sample for the same number every time, on every rank, so
  // random numbers come from a function of their purpose, not from a generator with state.
  void read(Split split, std::int64_t sample, const SampleSlot& slot) const override {
    const PhiloxBlock draw = RandomStream{.seed = seed_,
                                          .purpose = Purpose::generated_data,
                                          .stream = static_cast<std::uint16_t>(split),
                                          .sample = static_cast<std::uint64_t>(sample)}
                                 .block(0);
    const auto arm = static_cast<std::int32_t>(sample % kArms);
    const float radius = std::sqrt(uniform_float(draw[0]));  // an even spread over the disc
    const float noise = 0.4F * (uniform_float(draw[1]) - 0.5F);
    const float turns = 0.75F * radius + static_cast<float>(arm) / kArms;
    const float angle = 2 * std::numbers::pi_v<float> * turns + noise;
    slot.input[0] = radius * std::cos(angle);
    slot.input[1] = radius * std::sin(angle);
    *slot.label = arm;
  }

 private:
  static constexpr int kArms = 3;
  std::uint64_t seed_;
};

// Called once on every rank. A problem that reads files opens them here, in options.data_dir (--data_dir).
std::unique_ptr<Problem> make_spirals(const ProblemOptions& options) { return std::make_unique<Spirals>(options.seed); }

// Hyperparameters with which the built-in mlp learns it well.
HParams spirals_hparams() {
  HParams hparams = mlp_hparams();
  hparams.set("hidden_size", std::int64_t{64});
  hparams.set("dropout", 0.0);
  hparams.set("learning_rate", 0.01);
  hparams.set("train_steps", std::int64_t{500});
  return hparams;
}

}  // namespace

extern "C" void lockstep_register(Registry& registry) {
  registry.problems.add("spirals", "points on three arms of a spiral, generated: needs no files", make_spirals);
  registry.hparams_sets.add("spirals", "an mlp with two hidden layers of 64 for the problem spirals", spirals_hparams);
}
