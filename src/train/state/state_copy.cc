#include "train/state/state_copy.h"

#include "train/strategy/host_arrays.h"

namespace lockstep {
namespace {

std::int64_t array_bytes(const TrainingState& state) {
  return static_cast<std::int64_t>(state.replica.parameters().values().bytes());
}

// Loads the chief's values on all ranks. If all ranks share one copy, the chief writes it.
void take_values(const TrainingState& state, std::vector<float>* chiefs) {
  const ParameterStore& parameters = state.replica.parameters();
  Backend& backend = state.replica.backend();
  if (!parameters.common_values()) return broadcast_array(state.compute, backend, chiefs, parameters.values());
  if (chiefs != nullptr) copy_from_host(backend, *chiefs, parameters.values());
  state.compute.barrier();
}

}  // namespace

StateLayout layout_of(const TrainingState& state) {
  StateLayout layout{.table = &state.replica.parameters().table(),
                     .average = state.average != nullptr,
                     .replicas = state.strategy.replica_states(),
                     .model = state.model};
  for (const Optimizer::Slot& slot : state.replica.slot_kinds()) {
    layout.slots.push_back(slot.name);
    if (slot.non_negative) layout.non_negative.push_back(slot.name);
  }
  return layout;
}

std::int64_t copied_bytes(const TrainingState& state) {
  const std::int64_t slots = std::ssize(state.replica.slots());
  const int states = state.strategy.replica_states();
  return (1 + (state.average != nullptr ? 1 : 0) + slots * (states > 0 ? states : 1)) * array_bytes(state);
}

std::int64_t saved_bytes(const TrainingState& state) {
  const bool mean = state.strategy.replica_states() > 0;
  return copied_bytes(state) + (mean ? std::ssize(state.replica.slots()) * array_bytes(state) : 0);
}

void copy_state(const TrainingState& state, StateArrays& arrays) {
  state.strategy.copy_state(arrays);
  if (state.compute.rank() != 0) return;
  Backend& backend = state.replica.backend();
  copy_to_host(backend, state.replica.parameters().values(), arrays.parameters);
  if (state.average != nullptr) copy_to_host(backend, state.average->parameters().values(), arrays.average);
}

void restore_state(const TrainingState& state, StateArrays& arrays, const RestoredParts& parts) {
  const bool chief = state.compute.rank() == 0;
  const auto take = [&](std::vector<float>* chiefs, const Tensor& into) {
    broadcast_array(state.compute, state.replica.backend(), chiefs, into);
  };
  take_values(state, chief ? &arrays.parameters : nullptr);
  if (state.average != nullptr) {
    state.average->start(parts.ema_updates);
    if (parts.average) take(chief ? &arrays.average : nullptr, state.average->parameters().values());
  }
  if (parts.slots) state.strategy.restore_state(arrays, *parts.slots);
}

}  // namespace lockstep
