#pragma once

#include <string>
#include <vector>

#include "checkpoint/state.h"
#include "collective/communicator.h"
#include "train/averaged_weights.h"
#include "train/strategy/replica.h"

namespace lockstep {

// A training state where it lives: on every rank, in its backend's memory. All of it is the caller's.
struct TrainingState {
  Communicator& compute;     // the replicas; rank 0 is the chief
  const std::string& model;  // its name, for messages
  Replica& replica;
  AveragedWeights* average = nullptr;  // --ema, if any
  bool own_optimizer_state = false;    // Strategy::own_optimizer_state(): slots differ between replicas
  std::vector<int> learners{};         // the ranks of compute that have shares: whose states those are, in this order
};

// How its arrays are called and cut.
StateLayout layout_of(const TrainingState& state);

// Bytes of the copy of its arrays, and of those in a checkpoint file, which has the mean of different states as well.
std::int64_t copied_bytes(const TrainingState& state);
std::int64_t saved_bytes(const TrainingState& state);

// Copies the state to the chief's arrays; other ranks' are left alone. COLLECTIVE if the optimizer states differ,
// local on the chief otherwise. REQUIRES: the replicas' parameters are equal.
void copy_state(const TrainingState& state, StateArrays& arrays);

// An array of the chief's to a tensor of every rank; chiefs: the chief's, null on the others. COLLECTIVE.
void broadcast_array(Communicator& communicator, Backend& backend, std::vector<float>* chiefs, const Tensor& into);

// The reverse of copy_state(): every rank takes the chief's arrays, and its own of the replicas' if there are such.
// slots: whether the arrays hold the optimizer's; average: whether they hold a moving average (else it starts from the
// parameters). COLLECTIVE.
struct RestoredParts {
  bool slots = true;
  bool replicas = false;
  bool average = false;
  std::int64_t ema_updates = 0;
};
void restore_state(const TrainingState& state, StateArrays& arrays, const RestoredParts& parts);

}  // namespace lockstep
