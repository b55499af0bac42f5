#include "train/config/run_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/hparams_range.h"
#include "collective/control_values.h"
#include "collective/tree_plan.h"
#include "data/summed_plan.h"
#include "train/config/plan_batches.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();  // most samples in a batch, and most steps

[[noreturn]] void refuse(const std::string& why) { throw Error(ExitCode::configuration, why, Scope::every_rank); }

void check_ranks(const TrainSettings& settings, std::int64_t samples, int ranks) {
  LS_CHECK(ranks >= 1, "a run in which no rank has a share of the data");
  const std::optional<int> micro_shards = exact_shards(settings);
  if (micro_shards && *micro_shards < ranks) {
    refuse(
        fmt::format("--exact with {} ranks needs at least {} micro-shards, not {}; raise --micro_shards (which "
                    "changes the bits) or start fewer ranks",
                    ranks, ranks, *micro_shards));
  }
  if (samples < ranks) {
    refuse(
        fmt::format("{} ranks, but problem {} has only {} training samples; start at most as many ranks as there "
                    "are samples",
                    ranks, settings.problem, samples));
  }
}

// The number of parts that a step is cut into over all ranks, whose control values are added up exactly.
int shares_of(const TrainSettings& settings, std::int64_t accumulated, int ranks) {
  const std::optional<int> micro_shards = exact_shards(settings);
  const std::int64_t shares = micro_shards.value_or(ranks) * accumulated;
  if (shares > ControlValues::kMaxShares) {
    refuse(fmt::format("a step of {} parts ({} {} x optimizer_multistep_accumulate_steps={}); there may be {}", shares,
                       micro_shards.value_or(ranks), micro_shards ? "micro-shards" : "ranks", accumulated,
                       ControlValues::kMaxShares));
  }
  return static_cast<int>(shares);
}

std::int64_t last_step_of_epochs(std::int64_t epochs, const BatchPlan& batches) {
  const std::int64_t steps_per_epoch = batches.steps_per_epoch();
  if (epochs <= kMaxCount / steps_per_epoch) return batches.last_step_of(epochs);
  refuse(fmt::format("--train_epochs={} of {} each is more than {} steps", epochs, counted(steps_per_epoch, "step"),
                     kMaxCount));
}

// own: hparam train_steps.
std::int64_t steps_of(const TrainSettings& settings, std::int64_t own, const BatchPlan& batches) {
  if (!settings.train_epochs) return settings.train_steps.value_or(own);
  const std::int64_t steps = last_step_of_epochs(*settings.train_epochs, batches);
  return std::min(steps, settings.train_steps.value_or(steps));
}

}  // namespace

std::vector<int> RunPlan::owner_ranks() const {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < owners.size(); ++rank) {
    if (owners[rank]) ranks.push_back(static_cast<int>(rank));
  }
  return ranks;
}

RunPlan plan_run(const TrainSettings& settings, const HParams& hparams, const Problem& problem, int rank,
                 const std::vector<bool>& owners, BatchCursor from, UpdateBatch update_batch) {
  const auto ranks = static_cast<int>(std::ranges::count(owners, true));  // ranks that compute
  const std::int64_t samples = problem.count(Split::train);
  check_ranks(settings, samples, ranks);
  const std::int64_t accumulated =
      integer_or(1, hparams, "optimizer_multistep_accumulate_steps", 1, ControlValues::kMaxShares);
  // Read even if a flag decides, so that a wrong value is refused, not ignored.
  const std::int64_t own_batch = integer_in(hparams, "batch_size", 1, kMaxCount);
  const std::int64_t own_steps = integer_in(hparams, "train_steps", 1, kMaxCount);
  const int shares = shares_of(settings, accumulated, ranks);
  const BatchRequest request{.own_batch = own_batch,
                             .parts = static_cast<int>(ranks * accumulated),
                             .global_batch = settings.global_batch_size,
                             .shares = shares,
                             .seed = settings.seed};
  const std::shared_ptr<const BatchPlan> gradients = problem.shape().has_sequences()
                                                         ? plan_sequences(problem, hparams, request, std::move(from))
                                                         : plan_samples(problem, request, std::move(from));
  const std::shared_ptr<const BatchPlan> batches =
      settings.sum_updates == 1 ? gradients : std::make_shared<SummedPlan>(gradients, settings.sum_updates);
  const std::int64_t batch = batches->global_batch();
  RunPlan plan{
      .batches = batches,
      .gradients = gradients,
      .sum_updates = settings.sum_updates,
      .train_steps = steps_of(settings, own_steps, *batches),
      .accumulated = static_cast<int>(accumulated),
      .update_batch = update_batch == UpdateBatch::own_share ? std::max<std::int64_t>(batch / ranks, 1) : batch,
      .owners = owners};
  if (settings.exact) {
    const TreePlan::Node block = TreePlan(shares, owners).block(rank);
    plan.micro_shards = shares;
    plan.first_share = block.begin;
    plan.own_shares = block.end - block.begin;
  } else {
    const auto mine = owners.begin() + rank;
    plan.first_share = static_cast<int>(std::count(owners.begin(), mine, true)) * plan.accumulated;
    plan.own_shares = *mine ? plan.accumulated : 0;
  }
  return plan;
}

}  // namespace lockstep
