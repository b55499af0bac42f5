#pragma once

#include <string>

namespace lockstep {

// The path of the checkpoint that `path` names: `path` itself if it is a file, the newest file of an output_dir, or
// model.ckpt-120.h5 for the name that tensor2tensor gives it, model.ckpt-120. Does not check that the file is whole.
// Throws Error(missing_input) if there is none, and what CheckpointDirectory::candidates() throws.
std::string find_checkpoint(const std::string& path);

}  // namespace lockstep
