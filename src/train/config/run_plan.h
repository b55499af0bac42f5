#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/hparams.h"
#include "data/batch_plan.h"
#include "data/problem.h"
#include "train/config/settings.h"

namespace lockstep {

// The samples that contribute to an update of a replica.
enum class UpdateBatch {
  global,     // all samples of a step, over all ranks
  own_share,  // the rank's own part of a step
};

// The plan of a run: the number of steps, the samples of each step, and the rank of each sample. A step is an update of
// the parameters. Arithmetic over the user's settings; the same on every rank except for first_share and own_shares.
struct RunPlan {
  std::shared_ptr<const BatchPlan> batches;
  // The batches of single gradients, which ranks read: those of `batches`, unless --sum_updates adds several up for a
  // step. Then its numbers are not those of steps (data/summed_plan.h).
  std::shared_ptr<const BatchPlan> gradients{};
  std::int64_t sum_updates = 1;  // gradients of a step
  std::int64_t train_steps = 1;
  // hparam optimizer_multistep_accumulate_steps: a rank's share of a step is computed in as many parts, whose gradients
  // are added up before anything is communicated. With --exact there are as many times more micro-shards.
  int accumulated = 1;
  std::optional<int> micro_shards{};  // micro-shards of a step with --exact: the leaves of its tree
  // Samples (for sequences, tokens) per update of a replica: all of a step, or its own part of them.
  std::int64_t update_batch = 1;
  // For each rank of the compute group, whether it has shares of a step; the others compute nothing, and follow.
  std::vector<bool> owners{};
  int first_share = 0;  // first of this rank's own_shares consecutive shares of a step
  int own_shares = 0;

  std::vector<int> owner_ranks() const;
  int owner_count() const { return static_cast<int>(std::ranges::count(owners, true)); }

  // Ranks that make updates of their own, without waiting for each other; 1 if all make each update together.
  int workers = 1;

  double epochs() const { return batches->epochs(std::max(train_steps, batches->from().step)); }
};

// Plans a run. rank, owners: of the compute group. from: where the run resumes. Throws Error of every rank: usage for
// an hparam out of range, configuration for numbers of ranks, samples, micro-shards or steps that do not fit together.
RunPlan plan_run(const TrainSettings& settings, const HParams& hparams, const Problem& problem, int rank,
                 const std::vector<bool>& owners, BatchCursor from = {},
                 UpdateBatch update_batch = UpdateBatch::global);

}  // namespace lockstep
