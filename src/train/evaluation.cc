#include "train/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "data/batch_buffer.h"

namespace lockstep {
namespace {

constexpr std::int64_t kChunk = 250;  // samples; divides the usual test splits, small enough to share out evenly
constexpr double kLossUnit = 0x1p-24;
constexpr double kLargestLoss = 0x1p30;  // of a chunk: 2^8 chunks of it fit 62 bits of kLossUnit

struct Sums {  // plain integers: their sums do not depend on an order
  std::int64_t samples = 0;
  std::int64_t correct = 0;
  std::int64_t loss = 0;    // in kLossUnit
  std::int64_t beyond = 0;  // chunks whose loss is infinite, NaN or beyond kLargestLoss
};

}  // namespace

Evaluation::Evaluation(Communicator& communicator, Backend& backend, const Problem& problem, Model& model,
                       const ParameterStore& parameters)
    : communicator_(communicator), backend_(backend), problem_(problem), model_(model), parameters_(parameters) {}

EvaluationResult Evaluation::run(Split split) {
  const std::int64_t count = problem_.count(split);
  const std::int64_t chunks = (count + kChunk - 1) / kChunk;
  const std::int64_t rank = communicator_.rank();
  const std::int64_t size = communicator_.size();
  Pass pass{.backend = backend_, .parameters = parameters_, .mode = Pass::Mode::evaluate};
  BatchBuffer buffer(problem_.shape(), std::min(kChunk, count), host_);
  std::vector<std::int64_t> ids;
  Sums mine;
  for (std::int64_t chunk = chunks * rank / size; chunk < chunks * (rank + 1) / size; ++chunk) {
    ids.resize(static_cast<std::size_t>(std::min(kChunk, count - chunk * kChunk)));
    std::iota(ids.begin(), ids.end(), chunk * kChunk);
    buffer.fill(problem_, split, ids);
    const LossSums sums = model_.forward(buffer.batch(), pass);
    mine.samples += std::llround(sums.weight);
    mine.correct += std::llround(sums.correct);
    if (std::abs(sums.loss) <= kLargestLoss) {
      mine.loss += std::llround(sums.loss / kLossUnit);
    } else {
      ++mine.beyond;
    }
  }
  Sums total;
  for (const Sums& sums : all_gather_value(communicator_, mine)) {
    total.samples += sums.samples;
    total.correct += sums.correct;
    total.loss += sums.loss;
    total.beyond += sums.beyond;
  }
  if (total.beyond > 0) {
    throw Error(ExitCode::internal,
                fmt::format("the loss over the {} split is not finite, or beyond all use, in {} of {} chunks: the "
                            "parameters are no good any more; try a smaller learning_rate",
                            name(split), total.beyond, chunks),
                Scope::every_rank);
  }
  const double samples = static_cast<double>(std::max<std::int64_t>(total.samples, 1));
  return {.samples = total.samples,
          .correct = total.correct,
          .loss = static_cast<double>(total.loss) * kLossUnit / samples};
}

}  // namespace lockstep
