#include "train/state_copy.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lockstep {
namespace {

Tensor on_host(std::vector<float>& values) {
  return {values.data(), DType::float32, Shape{static_cast<std::int64_t>(values.size())}};
}

void copy_to_host(Backend& backend, const Tensor& from, std::vector<float>& into) {
  into.resize(static_cast<std::size_t>(from.count()));
  backend.copy(from, on_host(into));
  backend.synchronize();
}

// The slots of learner i come to arrays.replicas[i], one array after the other: a rank needs memory for one more of its
// own.
void gather_slots(const TrainingState& state, StateArrays& arrays) {
  Communicator& compute = state.compute;
  const std::vector<Tensor>& slots = state.replica.slots();
  const bool chief = compute.rank() == 0;
  const bool learns = std::ranges::find(state.learners, compute.rank()) != state.learners.end();
  if (chief) arrays.replicas.resize(state.learners.size(), {slots.size(), std::vector<float>()});
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    std::vector<float> mine;
    std::vector<SendPiece> sends;
    std::vector<ReceivePiece> receives;
    if (learns && !chief) {
      copy_to_host(state.replica.backend(), slots[slot], mine);
      sends.push_back({.to = 0, .bytes = std::as_bytes(std::span(mine))});
    }
    for (std::size_t i = 0; chief && i < state.learners.size(); ++i) {
      std::vector<float>& theirs = arrays.replicas[i][slot];
      theirs.resize(static_cast<std::size_t>(slots[slot].count()));
      if (state.learners[i] == 0) {
        copy_to_host(state.replica.backend(), slots[slot], theirs);
      } else {
        receives.push_back({.from = state.learners[i], .bytes = std::as_writable_bytes(std::span(theirs))});
      }
    }
    compute.exchange(sends, receives);
  }
}

void take_slot(const TrainingState& state, std::vector<float>& values, const Tensor& slot) {
  state.replica.backend().copy(on_host(values), slot);
  state.replica.backend().synchronize();
}

void scatter_slots(const TrainingState& state, StateArrays& arrays) {
  Communicator& compute = state.compute;
  const std::vector<Tensor>& slots = state.replica.slots();
  const bool chief = compute.rank() == 0;
  const bool learns = std::ranges::find(state.learners, compute.rank()) != state.learners.end();
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    std::vector<float> mine;
    std::vector<SendPiece> sends;
    std::vector<ReceivePiece> receives;
    if (learns && !chief) {
      mine.resize(static_cast<std::size_t>(slots[slot].count()));
      receives.push_back({.from = 0, .bytes = std::as_writable_bytes(std::span(mine))});
    }
    for (std::size_t i = 0; chief && i < state.learners.size(); ++i) {
      if (state.learners[i] == 0) {
        take_slot(state, arrays.replicas[i][slot], slots[slot]);
      } else {
        sends.push_back({.to = state.learners[i], .bytes = std::as_bytes(std::span(arrays.replicas[i][slot]))});
      }
    }
    compute.exchange(sends, receives);
    if (learns && !chief) take_slot(state, mine, slots[slot]);
  }
}

}  // namespace

StateLayout layout_of(const TrainingState& state) {
  StateLayout layout{.table = &state.replica.parameters().table(),
                     .average = state.average != nullptr,
                     .replicas = state.own_optimizer_state ? static_cast<int>(state.learners.size()) : 0,
                     .model = state.model};
  for (const Optimizer::Slot& slot : state.replica.slot_kinds()) {
    layout.slots.push_back(slot.name);
    if (slot.non_negative) layout.non_negative.push_back(slot.name);
  }
  return layout;
}

std::int64_t copied_bytes(const TrainingState& state) {
  const auto slots = static_cast<std::int64_t>(state.replica.slots().size());
  const std::int64_t arrays =
      1 + (state.average != nullptr ? 1 : 0) + slots * (state.own_optimizer_state ? std::ssize(state.learners) : 1);
  return arrays * static_cast<std::int64_t>(state.replica.parameters().values().bytes());
}

std::int64_t saved_bytes(const TrainingState& state) {
  if (!state.own_optimizer_state) return copied_bytes(state);
  const auto mean = state.replica.slots().size() * state.replica.parameters().values().bytes();
  return copied_bytes(state) + static_cast<std::int64_t>(mean);
}

void copy_state(const TrainingState& state, StateArrays& arrays) {
  if (state.own_optimizer_state) gather_slots(state, arrays);
  if (state.compute.rank() != 0) return;
  Backend& backend = state.replica.backend();
  copy_to_host(backend, state.replica.parameters().values(), arrays.parameters);
  if (state.average != nullptr) copy_to_host(backend, state.average->parameters().values(), arrays.average);
  if (state.own_optimizer_state) return;
  const std::vector<Tensor>& slots = state.replica.slots();
  arrays.slots.resize(slots.size());
  for (std::size_t slot = 0; slot < slots.size(); ++slot) copy_to_host(backend, slots[slot], arrays.slots[slot]);
}

void broadcast_array(Communicator& communicator, Backend& backend, std::vector<float>* chiefs, const Tensor& into) {
  std::vector<float> received;
  std::vector<float>& values = chiefs != nullptr ? *chiefs : received;
  values.resize(static_cast<std::size_t>(into.count()));
  communicator.broadcast(std::as_writable_bytes(std::span(values)), 0);
  backend.copy(on_host(values), into);
  backend.synchronize();
}

void restore_state(const TrainingState& state, StateArrays& arrays, const RestoredParts& parts) {
  const bool chief = state.compute.rank() == 0;
  const auto take = [&](std::vector<float>* chiefs, const Tensor& into) {
    broadcast_array(state.compute, state.replica.backend(), chiefs, into);
  };
  take(chief ? &arrays.parameters : nullptr, state.replica.parameters().values());
  if (state.average != nullptr) {
    state.average->start(parts.ema_updates);
    if (parts.average) take(chief ? &arrays.average : nullptr, state.average->parameters().values());
  }
  if (parts.replicas) {
    scatter_slots(state, arrays);
  } else if (parts.slots) {
    const std::vector<Tensor>& slots = state.replica.slots();
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      take(chief ? &arrays.slots[slot] : nullptr, slots[slot]);
    }
  }
}

}  // namespace lockstep
