#pragma once

#include <span>
#include <string>

#include "launch/flags/command_line.h"

namespace lockstep {

// The topics of the flags of `lockstep cluster`. All but the last are sources: flags of two of them are not translated
// at once.
inline constexpr const char* kHParamTopic = "Hyperparameters";
inline constexpr const char* kSlurmTopic = "Slurm";
inline constexpr const char* kClusterTopic = "TF_CONFIG, and the flags that describe a cluster";
inline constexpr const char* kHostTopic = "Open MPI";
inline constexpr const char* kShownTopic = "What is shown";

// The flags of `lockstep cluster`. Those that describe a cluster are train's: they are in its table of settings.
std::span<const Flag> translate_flags();

// The text of --help.
std::string translate_help();

}  // namespace lockstep
