#include "data/sequences/sequence_sides.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "data/forwarding_problem.h"

namespace lockstep {
namespace {

class ArrangedProblem final : public ForwardingProblem {
 public:
  ArrangedProblem(const SequenceName& name, std::unique_ptr<Problem> problem)
      : ForwardingProblem(std::move(problem)), reversed_(name.reversed), copied_(name.copied) {}

  SequenceLengths lengths(Split split, std::int64_t sample) const override {
    SequenceLengths lengths = inner().lengths(split, sample);
    if (reversed_) std::swap(lengths.inputs, lengths.targets);
    if (copied_) lengths.targets = lengths.inputs;
    return lengths;
  }

  void read(Split split, std::int64_t sample, const SampleSlot& slot) const override {
    inner().read(split, sample, slot);
    if (reversed_) std::swap(slot.pair->inputs, slot.pair->targets);
    if (copied_) slot.pair->targets = slot.pair->inputs;
  }

 private:
  bool reversed_;
  bool copied_;
};

}  // namespace

SequenceName parse_sequence_name(std::string_view name) {
  constexpr std::string_view kReversed = "_rev";
  constexpr std::string_view kCopied = "_copy";
  SequenceName parsed{.base = name};
  for (;;) {
    const bool reversed = parsed.base.ends_with(kReversed);
    const bool copied = parsed.base.ends_with(kCopied);
    if (!reversed && !copied) return parsed;
    const std::string_view ending = reversed ? kReversed : kCopied;
    bool& taken = reversed ? parsed.reversed : parsed.copied;
    if (taken) {
      throw Error(ExitCode::usage, fmt::format("the problem {} has the ending {} twice; once is enough", name, ending),
                  Scope::every_rank);
    }
    taken = true;
    parsed.base.remove_suffix(ending.size());
  }
}

std::unique_ptr<Problem> arrange_sides(const SequenceName& name, std::unique_ptr<Problem> problem) {
  if (!name.reversed && !name.copied) return problem;
  if (problem->shape().sample != ProblemShape::Sample::pair) {
    throw Error(ExitCode::usage,
                fmt::format("the problem {0} has targets alone: there are no inputs for the ending {1} of its name; "
                            "name it {0}",
                            name.base, name.reversed ? "_rev" : "_copy"),
                Scope::every_rank);
  }
  return std::make_unique<ArrangedProblem>(name, std::move(problem));
}

}  // namespace lockstep
