#pragma once

#include <string>
#include <vector>

#include "train/output/events/event.pb.h"

namespace lockstep {

using Events = std::vector<tensorboard::Event>;

// The events of a file, each of them framed as it has to be.
Events events_in(const std::string& path);

// The paths of all files in a folder, by name.
std::vector<std::string> files_in(const std::string& folder);

}  // namespace lockstep
