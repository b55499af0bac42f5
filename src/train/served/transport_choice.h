#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collective/mpi/window_room.h"
#include "train/config/training_rank.h"

// The choice of --ps_transport, as --ps_apply allows it. Pure.
namespace lockstep {

struct TransportChoice {
  bool window = false;        // else values and gradients are messages
  bool adds = false;          // ranks that train add their updates to the values in the window by themselves
  std::string requires_it{};  // the flag that makes a window mandatory; "" if messages may replace it
  std::string instead{};      // if requires_it is set: the flag to give where there can be no window
  std::string why{};          // why auto takes messages; "" otherwise
};

// The choice before there is a window. transport, apply: of --ps_transport and --ps_apply. hosts: number of hosts of
// the job. Throws Error of every rank, configuration, if there has to be a window and cannot be one.
//
// auto takes a window where one is known to work and to be no slower: on one host. Over hosts Open MPI 4 makes
// one-sided accesses of messages, and 5 has not been measured. accumulate takes one anywhere: messages cannot do it.
TransportChoice choose_transport(std::string_view transport, std::string_view apply, const ServedWindows& windows,
                                 int hosts);

// Returns why a window of so many bytes, all parts together, has no room; "" if it has, or if that is not known.
std::string lacks_room(const std::optional<WindowRoom>& room, std::int64_t bytes);

}  // namespace lockstep
