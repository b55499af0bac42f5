#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/table.h"
#include "tensor/device_kind.h"
#include "train/config/settings.h"

namespace lockstep {

// What a rank was asked to compute on, by its flags.
struct DeviceRequest {
  std::string kind = "auto";   // or a name of Registry::devices
  std::optional<int> index{};  // exactly this one of the devices that the rank sees
  std::vector<int> order{};    // these of them, in this order; empty: all, as they come
  bool from_last = false;      // without either of these: the last one first

  bool operator==(const DeviceRequest&) const = default;
  std::string text() const;  // as --device has it: "cuda", "cuda:1"
};

// Of --device, --devices and --gpu_order. Throws Error(usage) for what none of them takes, Error(configuration) where
// they contradict each other; of every rank.
DeviceRequest device_request(const TrainSettings& settings, const Table<DeviceKind>& kinds);

}  // namespace lockstep
