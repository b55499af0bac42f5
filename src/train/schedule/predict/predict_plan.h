#pragma once

#include <cstdint>
#include <vector>

namespace lockstep {

// The plan of the samples that each rank predicts in each round, as pure arithmetic. The split is cut into chunks, each
// computed alone, so that predictions do not depend on the number of ranks. In each round, rank after rank takes the
// next few chunks, so that the predictions of a round are those of neighbouring samples, in the order of the ranks. A
// round is small, whatever the number of samples: ranks hold no more than two rounds in memory.
class PredictPlan {
 public:
  struct Options {
    std::int64_t samples = 0;
    std::int64_t chunk = 0;           // samples of a chunk
    std::int64_t input_elements = 1;  // elements of a sample's input
    std::int64_t outputs = 1;         // outputs of a sample
    int ranks = 1;
  };
  // REQUIRES: chunk and ranks >= 1.
  explicit PredictPlan(const Options& options);
  // Plans chunks of other sizes, of which a rank takes one in a round. bounds: the begin of each chunk, then the end of
  // the last one. REQUIRES: at least one bound; ranks >= 1.
  PredictPlan(std::vector<std::int64_t> bounds, int ranks);

  std::int64_t rounds() const { return rounds_; }

  // Samples [first, first + count), whole chunks except for the split's last; count 0: nothing is left for the rank.
  struct Run {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };
  Run run(std::int64_t round, int rank) const;
  // The chunk of the run with this number, from 0; count 0: there is no such chunk.
  Run chunk(std::int64_t round, int rank, std::int64_t number) const;

 private:
  std::int64_t begin_of(std::int64_t chunk) const;

  Options options_;
  std::vector<std::int64_t> bounds_{};  // bounds of chunks of other sizes; else empty
  std::int64_t chunks_;                 // number of all chunks
  std::int64_t run_chunks_;             // chunks of a rank in a round
  std::int64_t rounds_;
};

}  // namespace lockstep
