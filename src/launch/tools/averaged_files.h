#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// The checkpoints that the flags of tensor2tensor's avg_checkpoints select.

// The files of --checkpoints: find_checkpoint() of the prefix and each name, without blanks around it; commas separate
// names. A folder as the prefix needs no slash at its end. Throws Error(usage) if there is no name, and what
// find_checkpoint() throws.
std::vector<std::string> listed_checkpoints(const std::string& prefix, std::string_view list);

// The files of --num_last_checkpoints: the newest `count` of the folder, the oldest of them first; fewer if it holds
// fewer. prefix: the folder, or a path in it, such as RUN/model.ckpt, whose last part is ignored. Throws
// Error(missing_input) if there are none.
std::vector<std::string> last_checkpoints(const std::string& prefix, std::int64_t count);

}  // namespace lockstep
