#include "data/holdout_problem.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"

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

HoldoutProblem::HoldoutProblem(std::unique_ptr<Problem> whole, double share, std::uint64_t seed)
    : ForwardingProblem(std::move(whole)), plan_(plan_holdout(inner(), share, seed)) {}

std::int64_t HoldoutProblem::count(Split split) const {
  switch (split) {
    case Split::train:
      return plan_.remaining();
    case Split::dev:
      return plan_.held_out();
    case Split::test:
      break;
  }
  return inner().count(split);
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
  inner().read(place.split, place.sample, slot);
}

SequenceLengths HoldoutProblem::lengths(Split split, std::int64_t sample) const {
  const Place place = place_of(split, sample);
  return inner().lengths(place.split, place.sample);
}

}  // namespace lockstep
