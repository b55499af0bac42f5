#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/problem.h"
#include "data/sequences/sequence_source.h"

namespace lockstep {

// A problem whose samples are those of a SequenceSource, which it owns: pairs if the source has inputs, else single
// sequences. A model predicts each target, one of the vocabulary's symbols. read() always throws: see sequences().
class SequenceProblem final : public Problem {
 public:
  struct Options {
    std::unique_ptr<const SequenceSource> source;
    std::string vocabulary_json{};  // ProblemShape's
    std::vector<std::string> remarks{};
    std::vector<std::string> notes{};
    bool characters = false;  // ProblemShape's
  };
  // Throws Error(bad_data) for a split of more than kMostSequences (tensor/batch.h). REQUIRES: a source.
  explicit SequenceProblem(Options options);

  ProblemShape shape() const override;
  std::int64_t count(Split split) const override { return options_.source->count(split); }
  [[noreturn]] void read(Split split, std::int64_t sample, const SampleSlot& slot) const override;
  const SequenceSource* sequences() const override { return options_.source.get(); }
  std::vector<std::string> remarks() const override { return options_.remarks; }
  std::vector<std::string> notes() const override { return options_.notes; }

 private:
  Options options_;
};

}  // namespace lockstep
