#include "train/strategy/slot_copy.h"

#include <algorithm>
#include <cstddef>

#include "checkpoint/state.h"
#include "train/strategy/host_arrays.h"

namespace lockstep {
namespace {

std::span<std::byte> bytes_of(std::vector<float>& array, FlatRange range) {
  return std::as_writable_bytes(
      std::span(array).subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.count())));
}

std::int64_t store_count(const Replica& replica) { return replica.parameters().table().padded_count(); }

// The places of a part's ranges in an array of that part alone.
std::vector<FlatRange> packed(const std::vector<FlatRange>& ranges) {
  std::vector<FlatRange> places;
  std::int64_t begin = 0;
  for (const FlatRange range : ranges) {
    places.push_back({begin, begin + range.count()});
    begin += range.count();
  }
  return places;
}

bool learns(const Communicator& communicator, std::span<const int> learners) {
  return std::ranges::find(learners, communicator.rank()) != learners.end();
}

}  // namespace

void copy_slots(const Replica& replica, const Communicator& communicator, StateArrays& arrays) {
  if (communicator.rank() != 0) return;
  arrays.slots.resize(replica.slots().size());
  for (std::size_t slot = 0; slot < replica.slots().size(); ++slot) {
    copy_to_host(replica.backend(), replica.slots()[slot], arrays.slots[slot]);
  }
}

void restore_slots(const Replica& replica, Communicator& communicator, StateArrays& arrays) {
  for (std::size_t slot = 0; slot < replica.slots().size(); ++slot) {
    std::vector<float>* const chiefs = communicator.rank() == 0 ? &arrays.slots[slot] : nullptr;
    broadcast_array(communicator, replica.backend(), chiefs, replica.slots()[slot]);
  }
}

void copy_slot_parts(const Replica& replica, Communicator& communicator, std::span<const std::vector<FlatRange>> owned,
                     StateArrays& arrays) {
  const std::vector<FlatRange>& own = owned[static_cast<std::size_t>(communicator.rank())];
  const bool chief = communicator.rank() == 0;
  if (chief) arrays.slots.resize(replica.slots().size());
  std::vector<float> mine;
  for (std::size_t slot = 0; slot < replica.slots().size(); ++slot) {
    copy_to_host(replica.backend(), replica.slots()[slot], mine);
    std::vector<SendPiece> sends;
    std::vector<ReceivePiece> receives;
    for (const FlatRange place : packed(own)) sends.push_back({.to = 0, .bytes = bytes_of(mine, place)});
    if (chief) {
      arrays.slots[slot].resize(static_cast<std::size_t>(store_count(replica)));
      for (std::size_t rank = 0; rank < owned.size(); ++rank) {
        for (const FlatRange range : owned[rank]) {
          receives.push_back({.from = static_cast<int>(rank), .bytes = bytes_of(arrays.slots[slot], range)});
        }
      }
    }
    communicator.exchange(sends, receives);
  }
}

void restore_slot_parts(const Replica& replica, Communicator& communicator,
                        std::span<const std::vector<FlatRange>> owned, StateArrays& arrays) {
  const std::vector<FlatRange>& own = owned[static_cast<std::size_t>(communicator.rank())];
  std::vector<float> mine;
  for (std::size_t slot = 0; slot < replica.slots().size(); ++slot) {
    mine.resize(static_cast<std::size_t>(replica.slots()[slot].count()));
    std::vector<SendPiece> sends;
    std::vector<ReceivePiece> receives;
    for (const FlatRange place : packed(own)) receives.push_back({.from = 0, .bytes = bytes_of(mine, place)});
    for (std::size_t rank = 0; communicator.rank() == 0 && rank < owned.size(); ++rank) {
      for (const FlatRange range : owned[rank]) {
        sends.push_back({.to = static_cast<int>(rank), .bytes = bytes_of(arrays.slots[slot], range)});
      }
    }
    communicator.exchange(sends, receives);
    copy_from_host(replica.backend(), mine, replica.slots()[slot]);
  }
}

void copy_each_slots(const Replica& replica, Communicator& communicator, std::span<const int> learners,
                     StateArrays& arrays) {
  const std::vector<Tensor>& slots = replica.slots();
  const bool chief = communicator.rank() == 0;
  if (chief) arrays.replicas.resize(learners.size(), {slots.size(), std::vector<float>()});
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    std::vector<float> mine;
    std::vector<SendPiece> sends;
    std::vector<ReceivePiece> receives;
    if (learns(communicator, learners) && !chief) {
      copy_to_host(replica.backend(), slots[slot], mine);
      sends.push_back({.to = 0, .bytes = std::as_bytes(std::span(mine))});
    }
    for (std::size_t i = 0; chief && i < learners.size(); ++i) {
      std::vector<float>& theirs = arrays.replicas[i][slot];
      theirs.resize(static_cast<std::size_t>(slots[slot].count()));
      if (learners[i] == 0) {
        copy_to_host(replica.backend(), slots[slot], theirs);
      } else {
        receives.push_back({.from = learners[i], .bytes = std::as_writable_bytes(std::span(theirs))});
      }
    }
    communicator.exchange(sends, receives);
  }
}

void restore_each_slots(const Replica& replica, Communicator& communicator, std::span<const int> learners,
                        StateArrays& arrays) {
  const std::vector<Tensor>& slots = replica.slots();
  const bool chief = communicator.rank() == 0;
  const bool receives_state = learns(communicator, learners) && !chief;
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    std::vector<float> mine;
    std::vector<SendPiece> sends;
    std::vector<ReceivePiece> receives;
    if (receives_state) {
      mine.resize(static_cast<std::size_t>(slots[slot].count()));
      receives.push_back({.from = 0, .bytes = std::as_writable_bytes(std::span(mine))});
    }
    for (std::size_t i = 0; chief && i < learners.size(); ++i) {
      if (learners[i] == 0) {
        copy_from_host(replica.backend(), arrays.replicas[i][slot], slots[slot]);
      } else {
        sends.push_back({.to = learners[i], .bytes = std::as_bytes(std::span(arrays.replicas[i][slot]))});
      }
    }
    communicator.exchange(sends, receives);
    if (receives_state) copy_from_host(replica.backend(), mine, slots[slot]);
  }
}

}  // namespace lockstep
