#include "train/config/plan_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hparams_range.h"
#include "data/missed_first_plan.h"
#include "data/sequences/sequence_plan.h"
#include "data/shard_plan.h"
#include "tensor/batch.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMaxBucket = std::numeric_limits<std::int32_t>::max();

std::vector<std::int32_t> training_lengths(const Problem& problem) {
  std::vector<std::int32_t> lengths;
  const std::int64_t count = problem.count(Split::train);
  lengths.reserve(static_cast<std::size_t>(count));
  for (std::int64_t sample = 0; sample < count; ++sample) {
    lengths.push_back(static_cast<std::int32_t>(problem.lengths(Split::train, sample).longest()));
  }
  return lengths;
}

void check_any_kept(const std::vector<std::int32_t>& lengths, std::int64_t max_length) {
  const std::int32_t shortest = lengths.empty() ? 0 : std::ranges::min(lengths);
  if (max_length == 0 || shortest <= max_length) return;
  throw Error(ExitCode::configuration,
              fmt::format("hparam max_length is {}, and the shortest training sequence has {} symbols: none is left; "
                          "raise max_length",
                          max_length, shortest),
              Scope::every_rank);
}

}  // namespace

HParams sequence_batch_hparams() {
  return HParams()
      .set("max_length", std::int64_t{256})
      .set("min_length_bucket", std::int64_t{8})
      .set("length_bucket_step", 1.1);
}

std::int64_t max_length_of(const HParams& hparams) {
  return integer_in(sequence_batch_hparams().set(hparams), "max_length", 0, kMostPositions);
}

std::shared_ptr<const BatchPlan> plan_samples(const Problem& problem, const BatchRequest& request, BatchCursor from) {
  const std::int64_t samples = problem.count(Split::train);
  if (from.consumed >= samples) from = {.step = from.step, .epoch = from.epoch + 1};  // the data have shrunk
  const BlockLayout layout = problem.layout();
  return plan_missed_first(std::move(from), samples, [&](BatchCursor rest) {
    return std::make_shared<ShardPlan>(ShardPlan::Options{
        .samples = samples,
        .global_batch = std::min(request.global_batch.value_or(request.own_batch * request.parts), samples),
        .shares = request.shares,
        .seed = request.seed,
        .block = layout.block,
        .window_blocks = layout.window_blocks,
        .from = std::move(rest)});
  });
}

std::shared_ptr<const BatchPlan> plan_sequences(const Problem& problem, const HParams& hparams,
                                                const BatchRequest& request, BatchCursor from) {
  const HParams all = sequence_batch_hparams().set(hparams);
  const std::int64_t max_length = max_length_of(hparams);
  const auto of_others = [&](const BatchLeg& leg) { return leg.buckets.max_length != max_length; };
  if (problem.cut_to_length() && std::ranges::any_of(from.legs, of_others)) {
    from = {.step = from.step, .epoch = from.epoch + 1};
  }
  SequencePlan::Options options{.lengths = training_lengths(problem),
                                .buckets = {.batch_tokens = request.global_batch.value_or(request.own_batch),
                                            .max_length = max_length,
                                            .first_bound = integer_in(all, "min_length_bucket", 1, kMaxBucket),
                                            .step = number_in(all, "length_bucket_step", 1.0, 1e6),
                                            .shards = request.global_batch ? 1 : request.parts},
                                .shares = request.shares,
                                .seed = request.seed};
  check_any_kept(options.lengths, max_length);
  return plan_missed_first(std::move(from), std::ssize(options.lengths), [&](BatchCursor rest) {
    options.from = std::move(rest);
    return std::make_shared<SequencePlan>(std::move(options));
  });
}

}  // namespace lockstep
