#include "train/evaluation/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

#include "data/batch_buffer.h"
#include "data/device_batch.h"

namespace lockstep {
namespace {

constexpr int kUnitBits = 24;
constexpr double kUnit = 1.0 / (1 << kUnitBits);  // unit of a sum
constexpr double kLargest = 0x1p62;               // largest sum of a chunk; 2^40 such chunks fit into 127 bits of kUnit

// A sum in kUnit, wide enough for any split.
__extension__ using Wide = __int128;
Wide to_wide(double sum) { return static_cast<Wide>(std::nearbyint(sum / kUnit)); }

struct Sums {  // integers: their sums do not depend on the order
  std::int64_t samples = 0;
  std::int64_t sequences = 0;
  std::int64_t taken = 0;
  std::int64_t chunks = 0;
  std::int64_t beyond = 0;  // chunks with a sum that is infinite, NaN or beyond kLargest
  std::array<Wide, std::size(kMetrics)> metrics{};

  Sums& operator+=(const Sums& other) {
    samples += other.samples;
    sequences += other.sequences;
    taken += other.taken;
    chunks += other.chunks;
    beyond += other.beyond;
    for (std::size_t i = 0; i < metrics.size(); ++i) metrics.at(i) += other.metrics.at(i);
    return *this;
  }
};

Sums to_integers(const MetricSums& chunk) {
  const auto usable = [](double sum) { return std::abs(sum) <= kLargest; };
  if (!std::ranges::all_of(chunk.sums, usable)) return {.chunks = 1, .beyond = 1};
  Sums sums{.samples = std::llround(chunk.weight), .sequences = std::llround(chunk.sequences), .chunks = 1};
  std::ranges::transform(chunk.sums, sums.metrics.begin(), to_wide);
  return sums;
}

EvaluationResult::Value mean_of(const Metric& metric, Wide sum, std::int64_t samples) {
  const auto count = static_cast<double>(std::max<std::int64_t>(samples, 1));
  if (metric.count.empty()) return {.metric = &metric, .mean = static_cast<double>(sum) * (kUnit / count)};
  const auto counted = static_cast<std::int64_t>(sum >> kUnitBits);
  return {.metric = &metric, .mean = static_cast<double>(counted) / count, .count = counted};
}

EvaluationResult means_of(const Sums& sums, const ProblemShape& shape) {
  EvaluationResult result{
      .samples = sums.samples, .sequences = sums.sequences, .taken = sums.taken, .outputs = shape.outputs};
  for (std::size_t i = 0; i < std::size(kMetrics); ++i) {
    const Metric& metric = kMetrics[i];
    if (!metric.measures(shape)) continue;
    if (metric.of_loss != nullptr) {
      result.values.push_back({.metric = &metric, .mean = metric.of_loss(result["loss"].mean)});
    } else {
      const bool over_rows = metric.mean == Metric::Mean::over_rows;
      result.values.push_back(mean_of(metric, sums.metrics.at(i), over_rows ? sums.samples : sums.sequences));
    }
  }
  return result;
}

}  // namespace

std::int64_t evaluation_chunk(const ProblemShape& shape) {
  constexpr std::int64_t kMaxSamples = 250;  // divides the usual test splits
  constexpr std::int64_t kMinSamples = 8;
  constexpr std::int64_t kElements = 1 << 20;
  return std::clamp(kElements / std::max<std::int64_t>(shape.input.elements(), 1), kMinSamples, kMaxSamples);
}

std::vector<std::int64_t> evaluation_chunks(const Problem& problem, Split split, std::int64_t samples) {
  // Limit on the probabilities of a chunk of sequences; a longer sequence is a chunk by itself. Enough for fast
  // products, in less memory than most training batches take.
  constexpr std::int64_t kProbabilities = 1 << 23;
  const ProblemShape shape = problem.shape();
  const std::int64_t count = std::min(problem.count(split), samples);
  std::vector<std::int64_t> bounds{0};
  if (!shape.has_sequences()) {
    const std::int64_t chunk = evaluation_chunk(shape);
    while (bounds.back() < count) bounds.push_back(std::min(bounds.back() + chunk, count));
    return bounds;
  }
  const std::int64_t most =
      std::clamp<std::int64_t>(kProbabilities / std::max<std::int64_t>(shape.outputs, 1), 64, 1024);
  std::int64_t symbols = 0;
  for (std::int64_t sample = 0; sample < count; ++sample) {
    const std::int64_t own = problem.lengths(split, sample).longest();
    if (symbols + own > most && sample > bounds.back()) {
      bounds.push_back(sample);
      symbols = 0;
    }
    symbols += own;
  }
  if (count > 0) bounds.push_back(count);
  return bounds;
}

std::int64_t largest_evaluation_chunk(const Problem& problem, Split split, std::int64_t samples) {
  const std::vector<std::int64_t> bounds = evaluation_chunks(problem, split, samples);
  if (!problem.shape().has_sequences()) return bounds.size() == 1 ? 0 : bounds[1];
  std::int64_t largest = 0;
  for (std::size_t chunk = 1; chunk < bounds.size(); ++chunk) {
    std::int64_t symbols = 0;
    for (std::int64_t sample = bounds[chunk - 1]; sample < bounds[chunk]; ++sample) {
      symbols += problem.lengths(split, sample).longest();
    }
    largest = std::max(largest, symbols);
  }
  return largest;
}

void for_each_chunk(const Communicator& ranks, Backend& backend, const Problem& problem, Split split,
                    std::int64_t samples, const std::function<void(const Batch& batch, const Batch& on_host)>& compute,
                    const std::function<void(double share)>& progress) {
  const std::vector<std::int64_t> bounds = evaluation_chunks(problem, split, samples);
  const auto chunks = std::ssize(bounds) - 1;
  const std::int64_t rank = ranks.rank();
  const std::int64_t size = ranks.size();
  // The first chunk of rows is a largest one; memory for longer chunks of sequences is added as they come.
  BatchBuffer buffer(problem.shape(), chunks == 0 ? 0 : bounds[1], backend.host_allocator());
  DeviceBatch on_device(backend);
  std::vector<std::int64_t> ids;
  const std::int64_t begin = chunks * rank / size;
  const std::int64_t end = chunks * (rank + 1) / size;
  for (std::int64_t chunk = begin; chunk < end; ++chunk) {
    const std::int64_t first = bounds[static_cast<std::size_t>(chunk)];
    ids.resize(static_cast<std::size_t>(bounds[static_cast<std::size_t>(chunk) + 1] - first));
    std::iota(ids.begin(), ids.end(), first);
    buffer.fill(problem, split, ids);
    compute(on_device.take(buffer.batch()), buffer.batch());
    if (progress) progress(static_cast<double>(chunk + 1 - begin) / static_cast<double>(end - begin));
  }
}

const EvaluationResult::Value& EvaluationResult::operator[](std::string_view name) const {
  const auto found = std::ranges::find(values, name, [](const Value& value) { return value.metric->name; });
  LS_CHECK(found != values.end(), fmt::format("{} was not measured", name));
  return *found;
}

Evaluation::Evaluation(Communicator& communicator, Backend& backend, const Problem& problem, Model& model,
                       const ParameterStore& parameters)
    : communicator_(communicator), backend_(backend), problem_(problem), model_(model), parameters_(parameters) {}

EvaluationResult Evaluation::run(Split split, std::int64_t samples, const std::function<void(double share)>& progress) {
  Pass pass{.backend = backend_, .parameters = parameters_, .mode = Pass::Mode::evaluate};
  parameters_.update_copy(backend_);
  Sums mine;
  for_each_chunk(
      communicator_, backend_, problem_, split, samples,
      [&](const Batch& batch, const Batch& /*on_host*/) {
        mine += to_integers(model_.forward(batch, pass));
        mine.taken += std::ssize(batch.sequences);
      },
      progress);
  Sums total;
  for (const Sums& sums : all_gather_value(communicator_, mine)) total += sums;
  if (total.beyond > 0) {
    throw Error(ExitCode::internal,
                fmt::format("the loss over the {} split is not finite, or beyond all use, in {} of {} chunks: the "
                            "parameters are no good any more; try a smaller learning_rate",
                            name(split), total.beyond, total.chunks),
                Scope::every_rank);
  }
  return means_of(total, problem_.shape());
}

}  // namespace lockstep
