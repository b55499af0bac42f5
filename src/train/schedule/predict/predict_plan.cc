#include "train/schedule/predict/predict_plan.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace lockstep {
namespace {

std::int64_t parts_of(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

// The number of chunks of a rank in a round: about as much to read and to send as fits well into one message, in all
// ranks together no more than the chief has memory for, and few enough for each rank to get some.
std::int64_t chunks_of_run(const PredictPlan::Options& options) {
  constexpr std::int64_t kElements = 1 << 18;       // elements of a rank
  constexpr std::int64_t kElementsOfAll = 4 << 20;  // elements of all ranks
  const std::int64_t of_chunk =
      options.chunk * std::max<std::int64_t>(1, std::max(options.input_elements, options.outputs));
  const std::int64_t fair = parts_of(parts_of(options.samples, options.chunk), options.ranks);
  return std::max<std::int64_t>(1, std::min({kElements / of_chunk, kElementsOfAll / (of_chunk * options.ranks), fair}));
}

}  // namespace

PredictPlan::PredictPlan(const Options& options)
    : options_(options),
      chunks_(parts_of(options.samples, options.chunk)),
      run_chunks_(chunks_of_run(options)),
      rounds_(parts_of(chunks_, run_chunks_ * options.ranks)) {}

PredictPlan::PredictPlan(std::vector<std::int64_t> bounds, int ranks)
    : options_{.samples = bounds.back(), .ranks = ranks},
      bounds_(std::move(bounds)),
      chunks_(std::ssize(bounds_) - 1),
      run_chunks_(1),
      rounds_(parts_of(chunks_, ranks)) {}

std::int64_t PredictPlan::begin_of(std::int64_t chunk) const {
  if (bounds_.empty()) return std::min(chunk * options_.chunk, options_.samples);
  return bounds_[static_cast<std::size_t>(std::min(chunk, chunks_))];
}

PredictPlan::Run PredictPlan::run(std::int64_t round, int rank) const {
  const std::int64_t chunk = (round * options_.ranks + rank) * run_chunks_;
  const std::int64_t first = begin_of(chunk);
  return {.first = first, .count = begin_of(chunk + run_chunks_) - first};
}

PredictPlan::Run PredictPlan::chunk(std::int64_t round, int rank, std::int64_t number) const {
  const std::int64_t chunk = (round * options_.ranks + rank) * run_chunks_ + number;
  const std::int64_t first = begin_of(chunk);
  return {.first = first, .count = number < run_chunks_ ? begin_of(chunk + 1) - first : 0};
}

}  // namespace lockstep
