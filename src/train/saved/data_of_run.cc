#include "train/saved/data_of_run.h"

#include <filesystem>
#include <vector>

#include "checkpoint/format.h"
#include "train/config/run_config.h"
#include "train/output/metrics_lines.h"

namespace lockstep {

RunData data_of_run(const OpenedCheckpoint& checkpoint, const std::string& output_dir) {
  namespace fs = std::filesystem;
  fs::path folder = fs::path(checkpoint.file).parent_path();
  if (folder.filename() == kBestFolder) folder = folder.parent_path();
  std::vector<fs::path> folders{folder};
  if (!output_dir.empty()) folders.emplace_back(output_dir);
  for (const fs::path& each : folders) {
    const std::optional<Json> config = read_run_config(each.string());
    if (!config || text_member(*config, "problem") != checkpoint.header.problem) continue;
    const std::string data_dir = text_member(*config, "data_dir");
    if (!data_dir.empty()) return {.data_dir = data_dir, .config = (each / kConfigFile).string()};
  }
  return {};
}

}  // namespace lockstep
