#include "data/sequences/sequence_sides.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"

namespace lockstep {
namespace {

class ArrangedSource final : public SequenceSource {
 public:
  ArrangedSource(const SequenceName& name, std::unique_ptr<SequenceSource> source)
      : reversed_(name.reversed), copied_(name.copied), source_(std::move(source)) {}

  std::int64_t vocabulary() const override { return source_->vocabulary(); }
  bool has_inputs() const override { return true; }
  std::int64_t count(Split split) const override { return source_->count(split); }

  SequenceLengths lengths(Split split, std::int64_t sample) const override {
    SequenceLengths lengths = source_->lengths(split, sample);
    if (reversed_) std::swap(lengths.inputs, lengths.targets);
    if (copied_) lengths.targets = lengths.inputs;
    return lengths;
  }

  void read(Split split, std::int64_t sample, SequencePair& pair) const override {
    source_->read(split, sample, pair);
    if (reversed_) std::swap(pair.inputs, pair.targets);
    if (copied_) pair.targets = pair.inputs;
  }

 private:
  bool reversed_;
  bool copied_;
  std::unique_ptr<SequenceSource> source_;
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

std::unique_ptr<SequenceSource> arrange_sides(const SequenceName& name, std::unique_ptr<SequenceSource> source) {
  if (!name.reversed && !name.copied) return source;
  if (!source->has_inputs()) {
    throw Error(ExitCode::usage,
                fmt::format("the problem {0} has targets alone: there are no inputs for the ending {1} of its name; "
                            "name it {0}",
                            name.base, name.reversed ? "_rev" : "_copy"),
                Scope::every_rank);
  }
  return std::make_unique<ArrangedSource>(name, std::move(source));
}

}  // namespace lockstep
