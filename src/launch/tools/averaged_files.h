#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// The checkpoints that the flags of tensor2tensor's avg_checkpoints mean.

// --checkpoints: names with commas between them, blanks around them left out, each with the prefix in front. A prefix
// that is a folder needs no slash at its end. find_checkpoint() finds the files of these names. Throws Error(usage) if
// there is no name.
std::vector<std::string> listed_checkpoints(const std::string& prefix, std::string_view list);

// --num_last_checkpoints: the newest `count` of the folder, the oldest of them first; fewer if it holds fewer. prefix:
// the folder, or one of its files' names or the beginning of that, RUN/model.ckpt. Throws Error(missing_input) if it
// holds none.
std::vector<std::string> last_checkpoints(const std::string& prefix, std::int64_t count);

}  // namespace lockstep
