#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/hparams.h"
#include "collective/communicator.h"
#include "optim/optimizer.h"
#include "train/config/result_config.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/exchange/exchange_choice.h"
#include "train/registry/registry.h"
#include "train/strategy/strategy_kind.h"
#include "train/workload/workload.h"

namespace lockstep {

// The parts of a run that choose_exchange() reads, and those it writes its choice to. The caller owns what it refers
// to.
struct MeasuredRun {
  TrainSettings& settings;
  const HParams& hparams;
  Communicator& gradients;
  const StrategyKind& strategy;
  const Workload& workload;
  OpenExchange open{};
  bool nothing_left = false;  // no step is left to make
  std::vector<ConfigItem>& config;
  std::vector<MeasuredSetting>& measured;

  std::int64_t steps_made() const { return workload.plan.batches->from().step; }
};

// Returns the exchange settings that a run has to measure, after taking those of the checkpoint (saved: its config, or
// null). Settings that decide bits are filled in, and --overlap; those to be measured get the usual value, except for
// --overlap, which gets "thread", because its communicator can do both. used: receives the settings that were measured
// for the checkpoint and are taken from it. COLLECTIVE over the world.
OpenExchange open_exchange(TrainSettings& settings, const Registry& registry, const TrainingRank& rank,
                           const SavedConfig* saved, std::vector<MeasuredSetting>& used);

// Measures whole steps (forward, backward, exchange, update) of real input, and puts the choice into the run: settings,
// config, measured, and the overlap of its communicator. Rank 0's clock counts, and every rank decides by it. Returns a
// line for the log; "" if there is nothing to say.
//
// The steps are made in the memory of the run's own model, before it gets its first state: on initial values, with a
// learning rate of 0, so that values do not change, by replicas, strategies and a reader of their own, which are gone
// afterwards. Values and gradients are 0 then, later operations write all of them, and sample ids and random numbers
// are functions of the step: no trace is left. The run's own first steps could be measured without any cost, but with
// mpi on three ranks or more their bits depend on buckets, and with --shard_optimizer so does the ownership of values.
// Takes kMostMeasuringSeconds, or little more; two steps if these are too long to be measured.
//
// parameters: the run's, before anything is in it. COLLECTIVE over the compute group.
std::string choose_exchange(const MeasuredRun& run, const TrainingRank& rank, const Optimizer& optimizer,
                            double clip_norm, const ParameterStore& parameters);

}  // namespace lockstep
