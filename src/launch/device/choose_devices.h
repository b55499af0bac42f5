#pragma once

#include <span>
#include <string>
#include <vector>

#include "launch/device/device_request.h"

namespace lockstep {

// A rank's knowledge of the devices that it may take.
struct DeviceFacts {
  std::string host;
  bool has_shares = true;    // true if it has shares of the data; a rank without any computes little
  DeviceRequest request;     // its kind is not auto, which is resolved on this rank
  bool by_itself = false;    // auto was asked for
  VisibleDevices visible{};  // devices of that kind; if auto became the CPU, the reason
  bool on_host = false;      // the kind is the host itself, with nothing to choose
};

// The device that a rank computes on.
struct ChosenDevice {
  std::string kind;
  int index = 0;       // number among the devices that the rank sees
  std::string name{};  // as its driver calls it; "" for the host itself
  std::string bus_id{};

  std::string text() const;  // as --device takes it: "cuda:1", "cpu"
};

struct DeviceChoice {
  std::vector<ChosenDevice> ranks;
  std::vector<std::string> warnings;
};

// Chooses the device of each rank of a world. Pure: every rank gets the facts of all, in their order, and computes the
// same. The ranks of a host take its devices in order, ranks with data first; PCI bus ids identify devices, as two
// processes may number one differently or not both see it. Ranks share a device if the flags say so (--device=cuda:1 of
// several ranks, a number that a list repeats), or, with a warning, if a host has more ranks than devices. A rank apart
// is on the host itself, and leaves the devices to the others. Throws Error(configuration) of every rank: a device that
// does not exist, or ranks on kinds that differ. REQUIRES: rank 0 is not apart.
DeviceChoice choose_devices(std::span<const DeviceFacts> ranks);

}  // namespace lockstep
