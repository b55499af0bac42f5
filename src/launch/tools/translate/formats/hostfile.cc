#include <fmt/format.h>

#include "launch/tools/translate/formats/rank_formats.h"

namespace lockstep {

std::string hostfile_text(const RankList& list) {
  const std::vector<RankEntry> processes = launched_processes(list);
  std::string text;
  if (is_host_by_host(processes)) {
    for (const HostRun& run : host_runs(processes)) text += fmt::format("{} slots={}\n", run.host, run.ranks);
    return text;
  }
  text = "# A rank a line: mpirun --map-by seq keeps this order.\n";
  for (const RankEntry& entry : processes) text += entry.host + "\n";
  return text;
}

}  // namespace lockstep
