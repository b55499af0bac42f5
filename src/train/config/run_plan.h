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
  global,     // all of a step, over all ranks
  own_share,  // the rank's own part of a step
};

// How a run is cut: how many steps, which samples in which step, which of them on which rank. A step is an update of
// the parameters. Arithmetic over what the user asked for; the same on every rank but for first_share and own_shares.
struct RunPlan {
  std::shared_ptr<const BatchPlan> batches;
  std::int64_t train_steps = 1;
  // hparam optimizer_multistep_accumulate_steps: a step's share of a rank is computed in as many parts, whose gradients
  // are added up before anything is communicated. With --exact there are as many times more micro-shards.
  int accumulated = 1;
  std::optional<int> micro_shards{};  // of a step, with --exact: the leaves of its tree
  // Samples (of sequences, tokens) per update of a replica: all of a step, or its own part of them.
  std::int64_t update_batch = 1;
  // Which ranks of the compute group have shares of a step; the others compute nothing, and follow.
  std::vector<bool> owners{};
  int first_share = 0;  // this rank's shares of batches: own_shares of them, from here on
  int own_shares = 0;

  std::vector<int> owner_ranks() const;
  int owner_count() const { return static_cast<int>(std::ranges::count(owners, true)); }

  double epochs() const { return batches->epochs(std::max(train_steps, batches->from().step)); }
};

// rank, owners: of the compute group. from: where the run resumes. Throws Error of every rank: usage for an hparam out
// of range, configuration for a number of ranks, samples or micro-shards that does not go together.
RunPlan plan_run(const TrainSettings& settings, const HParams& hparams, const Problem& problem, int rank,
                 const std::vector<bool>& owners, BatchCursor from = {},
                 UpdateBatch update_batch = UpdateBatch::global);

}  // namespace lockstep
