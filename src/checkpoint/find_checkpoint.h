#pragma once

#include <string>

namespace lockstep {

// The checkpoint that a path names: itself, or the newest one of an output_dir. Whether it is whole, its reader finds.
// Throws Error(missing_input) if a folder has none, and what CheckpointDirectory::candidates() throws.
std::string find_checkpoint(const std::string& path);

}  // namespace lockstep
