#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collective/mpi/window_room.h"
#include "train/config/training_rank.h"

// The choice of --ps_transport. Pure.
namespace lockstep {

struct TransportChoice {
  bool window = false;       // else values and gradients are messages
  bool is_required = false;  // a window that does not work is an error
  std::string why{};         // why auto takes messages; "" otherwise
};

// The choice before there is a window. setting: of --ps_transport. hosts: number of hosts of the job. Throws Error of
// every rank, configuration, if rma cannot be.
//
// auto takes a window where one is known to work and to be no slower: on one host. Over hosts Open MPI 4 makes
// one-sided accesses of messages, and 5 has not been measured.
TransportChoice choose_transport(std::string_view setting, const ServedWindows& windows, int hosts);

// Returns why a window of so many bytes, all parts together, has no room; "" if it has, or if that is not known.
std::string lacks_room(const std::optional<WindowRoom>& room, std::int64_t bytes);

}  // namespace lockstep
