#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lockstep {

// The place where memory lies and work runs: the host's cores, or one of its GPUs.
struct Device {
  enum class Kind { cpu, cuda };
  Kind kind = Kind::cpu;
  int index = 0;

  bool operator==(const Device&) const = default;
  std::string text() const { return kind == Kind::cpu ? "cpu" : "cuda:" + std::to_string(index); }
};

// A device as its driver describes it to this process.
struct VisibleDevice {
  std::string name;        // "NVIDIA H100 80GB HBM3"
  std::string bus_id;      // "0000:1b:00.0": the same in each process of the host, whatever number the device has there
  std::size_t memory = 0;  // bytes

  bool operator==(const VisibleDevice&) const = default;
};

// The devices of one kind that this process sees, by their numbers from 0 on.
struct VisibleDevices {
  std::vector<VisibleDevice> devices;
  std::string why_none;  // the driver's or the build's reason if there are none; may be ""

  bool operator==(const VisibleDevices&) const = default;
};

}  // namespace lockstep
