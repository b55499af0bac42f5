#include "checkpoint/find_checkpoint.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/printable.h"
#include "checkpoint/directory.h"
#include "checkpoint/format.h"

namespace lockstep {

std::string find_checkpoint(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown)) {
    const std::string full = path + std::string(kCheckpointSuffix);
    const bool abbreviated = !std::filesystem::exists(path, unknown) && std::filesystem::exists(full, unknown);
    return abbreviated ? full : path;
  }
  const CheckpointDirectory folder(path, /*keep_max=*/0);
  const std::vector<ResumeCandidate> candidates = folder.candidates();
  if (!candidates.empty()) return folder.path_of(candidates.front().step);
  throw Error(ExitCode::missing_input,
              fmt::format("there is no checkpoint in {}, no {}<step>{}; name the --output_dir of a run that has saved, "
                          "or a file",
                          in_quotes(path), kCheckpointPrefix, kCheckpointSuffix));
}

}  // namespace lockstep
