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
    : whole_(std::move(whole)), plan_(plan_holdout(*whole_, share, seed)) {}

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

void HoldoutProblem::read(Split split, std::int64_t sample, const SampleSlot& slot) const {
  LS_CHECK(sample >= 0 && sample < count(split), "no such sample");
  switch (split) {
    case Split::train:
      return whole_->read(Split::train, plan_.remaining_sample(sample), slot);
    case Split::dev:
      return whole_->read(Split::train, plan_.held_out_sample(sample), slot);
    case Split::test:
      return whole_->read(split, sample, slot);
  }
}

}  // namespace lockstep
