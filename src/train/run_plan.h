#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/hparams.h"
#include "data/problem.h"
#include "data/shard_plan.h"
#include "train/settings.h"

namespace lockstep {

// How a run is cut: how many steps, which samples in which step, which of them on which rank. A step is an update of
// the parameters. Arithmetic over what the user asked for; the same on every rank but for first_share.
struct RunPlan {
  ShardPlan shards;
  std::int64_t train_steps = 1;
  // hparam optimizer_multistep_accumulate_steps: a step's share of a rank is computed in as many parts, whose gradients
  // are added up before anything is communicated. With --exact there are as many times more micro-shards.
  int accumulated = 1;
  std::optional<int> micro_shards{};  // of a step, with --exact: the leaves of its tree
  std::int64_t update_batch = 1;      // samples behind an update of a replica: all of a step, or its own part of them
  int first_share = 0;                // this rank's shares of shards: as many as its strategy has, from here on

  double epochs() const { return shards.epochs(std::max(train_steps, shards.options().from.step)); }
};

// from: where the run goes on. Throws Error of every rank: usage for an hparam out of range, configuration for a number
// of ranks, samples or micro-shards that does not go together.
RunPlan plan_run(const TrainSettings& settings, const HParams& hparams, const Problem& problem, int rank, int ranks,
                 ShardPlan::Cursor from = {});

}  // namespace lockstep
