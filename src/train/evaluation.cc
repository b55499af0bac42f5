#include "train/evaluation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "data/batch_buffer.h"

namespace lockstep {
namespace {

constexpr std::int64_t kChunk = 250;  // samples; divides the usual test splits, small enough to share out evenly
constexpr double kLossUnit = 0x1p-24;

struct Sums {  // plain integers: their sums do not depend on an order
  std::int64_t samples = 0;
  std::int64_t correct = 0;
  std::int64_t loss = 0;  // in kLossUnit
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
    mine.loss += std::llround(sums.loss / kLossUnit);
  }
  Sums total;
  for (const Sums& sums : all_gather_value(communicator_, mine)) {
    total.samples += sums.samples;
    total.correct += sums.correct;
    total.loss += sums.loss;
  }
  const double samples = static_cast<double>(std::max<std::int64_t>(total.samples, 1));
  return {.samples = total.samples,
          .correct = total.correct,
          .loss = static_cast<double>(total.loss) * kLossUnit / samples};
}

}  // namespace lockstep
