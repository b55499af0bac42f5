#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "checkpoint/state.h"
#include "collective/communicator.h"
#include "train/strategy/averaged_weights.h"
#include "train/strategy/replica.h"
#include "train/strategy/strategy.h"

namespace lockstep {

// A training state where it lives: on every rank, in its backend's memory. All of it is the caller's.
struct TrainingState {
  Communicator& compute;     // the replicas; rank 0 is the chief
  const std::string& model;  // name of the model, for messages
  Replica& replica;
  const Strategy& strategy;            // knows where the optimizer's state is
  AveragedWeights* average = nullptr;  // the average of --ema; null: none
};

// The names and the layout of the state's arrays.
StateLayout layout_of(const TrainingState& state);

// Bytes of the copied arrays, and of those in a checkpoint file, which also has the mean of states that differ.
std::int64_t copied_bytes(const TrainingState& state);
std::int64_t saved_bytes(const TrainingState& state);

// Copies the state to the chief's arrays; other ranks' are left alone. COLLECTIVE. REQUIRES: the replicas' parameters
// are equal.
void copy_state(const TrainingState& state, StateArrays& arrays);

// The reverse of copy_state(): every rank takes its part of the chief's arrays. slots: the kind of optimizer state that
// they hold; none: it is left alone. average: they hold a moving average (else it starts from the parameters).
// COLLECTIVE.
struct RestoredParts {
  std::optional<SavedSlots> slots{};
  bool average = false;
  std::int64_t ema_updates = 0;
};
void restore_state(const TrainingState& state, StateArrays& arrays, const RestoredParts& parts);

}  // namespace lockstep
