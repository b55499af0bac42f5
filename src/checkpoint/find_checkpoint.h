#pragma once

#include <string>

namespace lockstep {

// The checkpoint that a path names: itself, the newest one of an output_dir, or the file model.ckpt-120.h5 by the name
// that tensor2tensor gives it, model.ckpt-120. Its reader checks that it is whole. Throws Error(missing_input) if there
// is none, and what CheckpointDirectory::candidates() throws.
std::string find_checkpoint(const std::string& path);

}  // namespace lockstep
