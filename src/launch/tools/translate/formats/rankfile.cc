#include <fmt/format.h>

#include <unordered_map>

#include "launch/tools/translate/formats/rank_formats.h"

namespace lockstep {

std::string rankfile_text(const RankList& list) {
  std::unordered_map<std::string, int> cores;  // taken on each host
  std::string text;
  int rank = 0;
  for (const RankEntry& entry : launched_processes(list)) {
    text += fmt::format("rank {}={} slot={}\n", rank++, entry.host, cores[entry.host]++);
  }
  return text;
}

}  // namespace lockstep
