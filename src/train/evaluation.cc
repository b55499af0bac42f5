#include "train/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "data/batch_buffer.h"

namespace lockstep {
namespace {

// Samples of a chunk, by the sample's size alone: small enough to share out evenly, and so that a chunk of large
// pictures needs no more memory than a batch of them does.
std::int64_t chunk_of(const ProblemShape& shape) {
  constexpr std::int64_t kMost = 250;  // divides the usual test splits
  constexpr std::int64_t kLeast = 8;
  constexpr std::int64_t kElements = 1 << 20;
  return std::clamp(kElements / std::max<std::int64_t>(shape.input.elements(), 1), kLeast, kMost);
}

constexpr double kUnit = 0x1p-24;    // of a loss or an error
constexpr double kLargest = 0x1p62;  // of a chunk: 2^40 chunks of it fit 127 bits of kUnit

// A sum in kUnit, wide enough for any split.
__extension__ using Wide = __int128;
Wide to_wide(double sum) { return static_cast<Wide>(std::nearbyint(sum / kUnit)); }

struct Sums {  // plain integers: their sums do not depend on an order
  std::int64_t samples = 0;
  std::int64_t correct = 0;
  std::int64_t in_top5 = 0;
  Wide loss = 0;
  Wide squared_error = 0;
  Wide absolute_error = 0;
  std::int64_t beyond = 0;  // chunks with a sum that is infinite, NaN or beyond kLargest

  Sums& operator+=(const Sums& other) {
    samples += other.samples;
    correct += other.correct;
    in_top5 += other.in_top5;
    loss += other.loss;
    squared_error += other.squared_error;
    absolute_error += other.absolute_error;
    beyond += other.beyond;
    return *this;
  }
};

Sums to_integers(const LossSums& chunk) {
  if (!(std::abs(chunk.loss) <= kLargest && chunk.squared_error <= kLargest && chunk.absolute_error <= kLargest)) {
    return {.beyond = 1};
  }
  return {.samples = std::llround(chunk.weight),
          .correct = std::llround(chunk.correct),
          .in_top5 = std::llround(chunk.in_top5),
          .loss = to_wide(chunk.loss),
          .squared_error = to_wide(chunk.squared_error),
          .absolute_error = to_wide(chunk.absolute_error)};
}

EvaluationResult means_of(const Sums& sums) {
  const double unit = kUnit / static_cast<double>(std::max<std::int64_t>(sums.samples, 1));
  EvaluationResult result;
  result.samples = sums.samples;
  result.loss = static_cast<double>(sums.loss) * unit;
  result.correct = sums.correct;
  result.in_top5 = sums.in_top5;
  result.mean_squared_error = static_cast<double>(sums.squared_error) * unit;
  result.mean_absolute_error = static_cast<double>(sums.absolute_error) * unit;
  return result;
}

}  // namespace

Evaluation::Evaluation(Communicator& communicator, Backend& backend, const Problem& problem, Model& model,
                       const ParameterStore& parameters)
    : communicator_(communicator), backend_(backend), problem_(problem), model_(model), parameters_(parameters) {}

EvaluationResult Evaluation::run(Split split, std::int64_t samples) {
  const std::int64_t count = std::min(problem_.count(split), samples);
  const std::int64_t size_of_chunk = chunk_of(problem_.shape());
  const std::int64_t chunks = (count + size_of_chunk - 1) / size_of_chunk;
  const std::int64_t rank = communicator_.rank();
  const std::int64_t size = communicator_.size();
  Pass pass{.backend = backend_, .parameters = parameters_, .mode = Pass::Mode::evaluate};
  BatchBuffer buffer(problem_.shape(), std::min(size_of_chunk, count), host_);
  std::vector<std::int64_t> ids;
  Sums mine;
  for (std::int64_t chunk = chunks * rank / size; chunk < chunks * (rank + 1) / size; ++chunk) {
    ids.resize(static_cast<std::size_t>(std::min(size_of_chunk, count - chunk * size_of_chunk)));
    std::iota(ids.begin(), ids.end(), chunk * size_of_chunk);
    buffer.fill(problem_, split, ids);
    mine += to_integers(model_.forward(buffer.batch(), pass));
  }
  Sums total;
  for (const Sums& sums : all_gather_value(communicator_, mine)) total += sums;
  if (total.beyond > 0) {
    throw Error(ExitCode::internal,
                fmt::format("the loss over the {} split is not finite, or beyond all use, in {} of {} chunks: the "
                            "parameters are no good any more; try a smaller learning_rate",
                            name(split), total.beyond, chunks),
                Scope::every_rank);
  }
  return means_of(total);
}

}  // namespace lockstep
