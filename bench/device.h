#pragma once

#include <string>

#include "launch/device/device_request.h"
#include "launch/device/take_device.h"
#include "launch/flags/command_line.h"
#include "launch/job/job.h"
#include "train/registry/registry.h"

// The device that a bench computes on, chosen as train chooses it.
namespace lockstep::bench {

inline constexpr Flag kDeviceFlag{.group = "Where",
                                  .name = "device",
                                  .placeholder = "DEVICE",
                                  .default_text = "cpu",
                                  .help = "cpu, cuda (local rank n takes the n-th GPU), cuda:N, or auto"};

// Takes this rank's device by the flag's value. COLLECTIVE over the world. Throws Error as train does.
inline TakenDevice take_device(const std::string& device, Communicator& world, const Job& job) {
  const Registry registry = builtin_registry();
  TrainSettings settings;
  settings.device = device;
  return lockstep::take_device(world, device_request(settings, registry.devices), registry.devices, job.host(), true);
}

}  // namespace lockstep::bench
