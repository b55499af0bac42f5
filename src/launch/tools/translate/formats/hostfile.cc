#include <fmt/format.h>

#include <algorithm>

#include "launch/tools/translate/formats/rank_formats.h"
#include "launch/tools/translate/sources/file_lines.h"

namespace lockstep {
namespace {

constexpr std::string_view kInOrder = "# A rank a line: mpirun --map-by seq keeps this order.\n";

}  // namespace

std::string hostfile_text(const RankList& list) {
  const std::vector<RankEntry> processes = launched_processes(list);
  std::string text;
  if (is_host_by_host(processes)) {
    for (const HostRun& run : host_runs(processes)) text += fmt::format("{} slots={}\n", run.host, run.ranks);
    return text;
  }
  text = kInOrder;
  for (const RankEntry& entry : processes) text += entry.host + "\n";
  return text;
}

bool is_hostfile_text(std::string_view text) {
  if (text.starts_with(kInOrder)) return true;
  return std::ranges::all_of(lines_of(text), [](const FileLine& line) {
    return line.words.size() == 2 && line.words[1].starts_with("slots=");
  });
}

}  // namespace lockstep
