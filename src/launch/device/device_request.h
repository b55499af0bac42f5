#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/table.h"
#include "tensor/device_kind.h"
#include "train/config/settings.h"

namespace lockstep {

// The device that a rank is asked to compute on, by its flags.
struct DeviceRequest {
  std::string kind = "auto";   // or a name of Registry::devices
  std::optional<int> index{};  // exactly this one of the devices that the rank sees
  std::vector<int> order{};    // these of them, in this order; empty: all, as they come
  bool from_last = false;      // true: without index and order, the last one first
  bool apart = false;          // true: it may be another kind of device than that of the other ranks

  bool operator==(const DeviceRequest&) const = default;
  std::string text() const;  // as --device has it: "cuda", "cuda:1"
};

// The request of --device, --devices and --gpu_order. Throws Error of every rank: usage for a value that its flag does
// not take, configuration if --device and --devices contradict each other.
DeviceRequest device_request(const TrainSettings& settings, const Table<DeviceKind>& kinds);

// The request of a parameter server, which computes on its host's cores whatever the others compute on.
DeviceRequest server_request();

}  // namespace lockstep
