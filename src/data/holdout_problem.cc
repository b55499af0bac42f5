#include "data/holdout_problem.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "data/sequences/sequence_source.h"

namespace lockstep {
namespace {

HoldoutPlan plan_holdout(const Problem& whole, double share, std::uint64_t seed) {
  if (const std::int64_t dev = whole.count(Split::dev); dev > 0) {
    throw Error(
        ExitCode::configuration,
        fmt::format("--holdout={}: the problem has a dev split of {} samples, which is what a run evaluates on; "
                    "leave the flag out",
                    share, dev),
        Scope::every_rank);
  }
  return HoldoutPlan(
      {.samples = whole.count(Split::train), .block = whole.layout().block, .share = share, .seed = seed});
}

}  // namespace

// The problem's sequences under their new numbers.
class HoldoutProblem::Sequences final : public SequenceSource {
 public:
  explicit Sequences(const HoldoutProblem& problem) : problem_(problem), whole_(*problem.whole_->sequences()) {}

  std::int64_t vocabulary() const override { return whole_.vocabulary(); }
  bool has_inputs() const override { return whole_.has_inputs(); }
  bool cut_to_length() const override { return whole_.cut_to_length(); }
  std::int64_t count(Split split) const override { return problem_.count(split); }
  SequenceLengths lengths(Split split, std::int64_t sample) const override {
    const Place place = problem_.place_of(split, sample);
    return whole_.lengths(place.split, place.sample);
  }
  void read(Split split, std::int64_t sample, SequencePair& pair) const override {
    const Place place = problem_.place_of(split, sample);
    whole_.read(place.split, place.sample, pair);
  }

 private:
  const HoldoutProblem& problem_;
  const SequenceSource& whole_;
};

HoldoutProblem::HoldoutProblem(std::unique_ptr<Problem> whole, double share, std::uint64_t seed)
    : whole_(std::move(whole)), plan_(plan_holdout(*whole_, share, seed)) {
  if (whole_->sequences() != nullptr) sequences_ = std::make_unique<Sequences>(*this);
}

HoldoutProblem::~HoldoutProblem() = default;

std::int64_t HoldoutProblem::count(Split split) const {
  switch (split) {
    case Split::train:
      return plan_.remaining();
    case Split::dev:
      return plan_.held_out();
    case Split::test:
      break;
  }
  return whole_->count(split);
}

HoldoutProblem::Place HoldoutProblem::place_of(Split split, std::int64_t sample) const {
  LS_CHECK(sample >= 0 && sample < count(split), "no such sample");
  switch (split) {
    case Split::train:
      return {.split = Split::train, .sample = plan_.remaining_sample(sample)};
    case Split::dev:
      return {.split = Split::train, .sample = plan_.held_out_sample(sample)};
    case Split::test:
      break;
  }
  return {.split = split, .sample = sample};
}

void HoldoutProblem::read(Split split, std::int64_t sample, const SampleSlot& slot) const {
  const Place place = place_of(split, sample);
  whole_->read(place.split, place.sample, slot);
}

}  // namespace lockstep
