#include "launch/tools/translate/sources/file_lines.h"
#include "launch/tools/translate/sources/rank_sources.h"

namespace lockstep {

RankList ranks_of_pe_hostfile(std::string_view text, const std::string& path) {
  SlotsByHost hosts(path);
  for (const FileLine& line : lines_of(text)) {
    if (line.words.size() < 2) refuse_line(path, line.number, "expected HOST SLOTS QUEUE CORES");
    hosts.add(line.words[0], slots_in(line.words[1], 0, path, line.number), line.number);
  }
  return list_of_hosts(path, hosts.hosts());
}

}  // namespace lockstep
