#pragma once

#include <span>
#include <string>
#include <vector>

#include "launch/device/device_request.h"

namespace lockstep {

// What a rank knows of the devices that it may take.
struct DeviceFacts {
  std::string host;
  bool has_shares = true;    // of the data: a rank without computes little
  DeviceRequest request;     // its kind is that of a table: what auto came to on this rank
  bool by_itself = false;    // auto was asked for
  VisibleDevices visible{};  // of that kind, or where auto came to the CPU, why
  bool on_host = false;      // the kind is the host itself, of which there is nothing to choose
};

// What a rank is to compute on.
struct ChosenDevice {
  std::string kind;
  int index = 0;       // of the devices that the rank sees
  std::string name{};  // as its driver calls it; "" of the host itself
  std::string bus_id{};

  std::string text() const;  // "cuda:1", "cpu"
};

struct DeviceChoice {
  std::vector<ChosenDevice> ranks;
  std::vector<std::string> warnings;
};

// Which device each rank of a world takes. Pure: every rank is given the facts of all, in their order, and comes to the
// same. Ranks of a host take its devices in their order, ranks with data first; what is the same device for two
// processes, which may number it differently or not both see it, its PCI bus id says. Ranks share a device where the
// flags say so (--device=cuda:1 of several ranks, a number that a list repeats), or where a host has more ranks than
// devices, which a warning says.
// Throws Error(configuration) of every rank: a device that is not there, or ranks on kinds that differ.
DeviceChoice choose_devices(std::span<const DeviceFacts> ranks);

}  // namespace lockstep
