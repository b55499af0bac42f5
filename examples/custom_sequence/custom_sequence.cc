// A sequence problem of your own: pairs of a source and a target, which a Transformer learns to write from the source.
// `train --usr_lib=` loads it.
#include <memory>

#include "base/random.h"
#include "data/sequences/sequence_problem.h"
#include "model/transformer/transformer.h"
#include "train/registry/registry.h"

using namespace lockstep;

namespace {

constexpr std::int32_t kNumbers = 10;  // 0 to 9, as symbols from kFirstSymbol on

// Lists of one to six numbers, and the same lists backwards: "3 1 4" becomes "4 1 3".
class ReversedLists final : public SequenceProblem {
 public:
  explicit ReversedLists(std::uint64_t seed) : seed_(seed) {}

  std::int64_t vocabulary() const override { return kFirstSymbol + kNumbers; }
  bool has_inputs() const override { return true; }
  std::int64_t count(Split split) const override { return split == Split::train ? 20000 : 1000; }

  // Called before any sample is read, because batches are made of samples of similar lengths.
  SequenceLengths lengths(Split split, std::int64_t sample) const override {
    const std::int64_t length = numbers(split, sample) + 1;  // one more for kEndSymbol
    return {.inputs = length, .targets = length};
  }

  // Called by several threads at once. Has to return the same sample for the same number every time, on every rank.
  void read_pair(Split split, std::int64_t sample, SequencePair& pair) const override {
    pair.before = kPadSymbol;  // the target is one whole sequence
    pair.inputs.clear();
    for (std::int32_t i = 1; i <= numbers(split, sample); ++i) {
      pair.inputs.push_back(kFirstSymbol + draw(split, sample, i) % kNumbers);
    }
    pair.targets.assign(pair.inputs.rbegin(), pair.inputs.rend());
    pair.inputs.push_back(kEndSymbol);
    pair.targets.push_back(kEndSymbol);
  }

 private:
  std::int32_t numbers(Split split, std::int64_t sample) const { return 1 + draw(split, sample, 0) % 6; }

  // A random number for a sample: a function of its purpose, not a generator with state.
  std::int32_t draw(Split split, std::int64_t sample, std::int32_t place) const {
    return static_cast<std::int32_t>(RandomStream{.seed = seed_,
                                                  .purpose = Purpose::generated_data,
                                                  .stream = static_cast<std::uint16_t>(split),
                                                  .sample = static_cast<std::uint64_t>(sample)}
                                         .block(static_cast<std::uint32_t>(place))[0] >>
                                     1);
  }

  std::uint64_t seed_;
};

std::unique_ptr<Problem> make_reversed_lists(const ProblemOptions& options) {
  return std::make_unique<ReversedLists>(options.seed);
}

// Hyperparameters with which the built-in transformer learns it well.
HParams reversed_lists_hparams() {
  return transformer_hparams()
      .set("hidden_size", std::int64_t{64})
      .set("filter_size", std::int64_t{128})
      .set("num_heads", std::int64_t{4})
      .set("num_hidden_layers", std::int64_t{1})
      .set("layer_prepostprocess_dropout", 0.0)
      .set("batch_size", std::int64_t{512})  // in symbols
      .set("learning_rate", 0.003)
      .set("learning_rate_schedule", std::string("linear_warmup*cosine"))
      .set("learning_rate_warmup_steps", std::int64_t{50})
      .set("train_steps", std::int64_t{400});
}

}  // namespace

extern "C" void lockstep_register(Registry& registry) {
  registry.problems.add("reversed_lists", "short lists of numbers to be reversed, generated: needs no files",
                        {make_reversed_lists, "transformer"});
  registry.hparams_sets.add("reversed_lists", "a transformer of one layer for the problem reversed_lists",
                            reversed_lists_hparams);
}
