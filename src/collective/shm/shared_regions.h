#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lockstep {

// The memory that allocators of a communicator, and of the groups split from it, have given to this rank and its peers.
// A region has one piece for each rank. Owned by those communicators and the Buffers together, so either may go first.
// Threads: one at a time.
class SharedRegions {
 public:
  struct Region {
    std::uint64_t number = 0;  // the same on all ranks that share it; 0 = none
    std::size_t bytes = 0;     // size of each piece
    std::byte* mine = nullptr;
    std::vector<std::shared_ptr<std::byte>> pieces;  // by rank of the first communicator; null: not shared with it
  };

  void add(Region region) { regions_.push_back(std::move(region)); }
  void remove(std::uint64_t number);

  // A location, as the others find it in their pieces.
  struct Place {
    std::uint64_t region = 0;  // number; 0 = in none
    std::uint64_t offset = 0;  // bytes
  };
  // The place of these bytes of this rank, if one region holds all of them.
  Place place_of(const void* data, std::size_t bytes) const;
  // A rank's memory at a place; null if this rank does not see that.
  std::byte* at(Place place, int rank) const;

 private:
  std::vector<Region> regions_;  // a handful: values, gradients, slots
};

}  // namespace lockstep
