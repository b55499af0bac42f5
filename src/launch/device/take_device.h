#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collective/communicator.h"
#include "launch/device/choose_devices.h"

namespace lockstep {

// This rank's device, and the warnings of the choice.
struct TakenDevice {
  std::unique_ptr<Backend> backend;
  ChosenDevice device;
  std::vector<std::string> warnings;  // the same on all ranks
};

// Finds the devices that this rank was asked to compute on, and agrees with the world on which of them is its own.
// COLLECTIVE. Throws what choose_devices() throws, and Error(configuration) of one rank for a device that cannot be
// used.
TakenDevice take_device(Communicator& world, const DeviceRequest& request, const Table<DeviceKind>& kinds,
                        const std::string& host, bool has_shares);

// The facts that a rank sends to the others, as one text, and back.
std::string to_text(const DeviceFacts& facts);
DeviceFacts device_facts(std::string_view text);

}  // namespace lockstep
