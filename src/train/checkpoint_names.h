#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

// What things are called in a checkpoint file: one place for who writes it and who reads it. Files on disk carry these
// names, so they do not change; docs/checkpoint_format.md tells users what they mean.
namespace lockstep {

inline constexpr const char* kCheckpointFormat = "lockstep checkpoint";
inline constexpr std::int64_t kCheckpointVersion = 1;

// Groups; each holds one data set per variable. A variable's name has slashes, which make groups within.
inline const std::string kParametersGroup = "parameters";
inline const std::string kOptimizerGroup = "optimizer";
inline const std::string kAverageGroup = "ema";
inline const std::string kReplicasGroup = "replicas";
inline std::string slot_group(const std::string& slot) { return fmt::format("{}/{}", kOptimizerGroup, slot); }
inline std::string replica_group(std::size_t replica, const std::string& slot) {
  return fmt::format("{}/{}/{}", kReplicasGroup, replica, slot);
}

}  // namespace lockstep
