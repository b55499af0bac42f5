#pragma once

#include <string>
#include <vector>

#include "train/output/events/event.pb.h"

namespace lockstep {

using Events = std::vector<tensorboard::Event>;

// Reads the events of a file, and checks their framing.
Events events_in(const std::string& path);

// Returns the paths of all files in a folder, sorted by name.
std::vector<std::string> files_in(const std::string& folder);

}  // namespace lockstep
