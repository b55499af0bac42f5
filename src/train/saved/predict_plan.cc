#include "train/saved/predict_plan.h"

#include <algorithm>

namespace lockstep {
namespace {

std::int64_t parts_of(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

// Chunks of a rank in a round: about as much to read, and to send, as one message carries well; of all ranks together
// no more than the chief has memory for; and if there are few, each rank gets some.
std::int64_t chunks_of_run(const PredictPlan::Options& options) {
  constexpr std::int64_t kElements = 1 << 18;       // of a rank
  constexpr std::int64_t kElementsOfAll = 4 << 20;  // of all ranks
  const std::int64_t of_chunk =
      options.chunk * std::max<std::int64_t>(1, std::max(options.input_elements, options.outputs));
  const std::int64_t fair = parts_of(parts_of(options.samples, options.chunk), options.ranks);
  return std::max<std::int64_t>(1, std::min({kElements / of_chunk, kElementsOfAll / (of_chunk * options.ranks), fair}));
}

}  // namespace

PredictPlan::PredictPlan(const Options& options)
    : options_(options),
      run_samples_(chunks_of_run(options) * options.chunk),
      rounds_(parts_of(options.samples, run_samples_ * options.ranks)) {}

PredictPlan::Run PredictPlan::run(std::int64_t round, int rank) const {
  const std::int64_t first = std::min((round * options_.ranks + rank) * run_samples_, options_.samples);
  return {.first = first, .count = std::min(run_samples_, options_.samples - first)};
}

}  // namespace lockstep
