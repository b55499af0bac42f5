#include <fmt/format.h>

#include "launch/tools/translate/formats/rank_formats.h"

namespace lockstep {
namespace {

// hostfile: as the shell reads it.
std::string line_with(const RankList& list, std::string_view hostfile) {
  const std::vector<RankEntry> processes = launched_processes(list);
  std::string set;
  for (const std::string& assignment : variable_assignments(list)) set += assignment + " ";
  return fmt::format("{}mpirun -np {} --hostfile {}{} --bind-to none{} {}\n", set, processes.size(), hostfile,
                     is_host_by_host(processes) ? "" : " --map-by seq", passed_variables(list), train_command(list));
}

}  // namespace

std::string mpirun_line(const RankList& list, std::string_view hostfile) {
  return line_with(list, shell_word(hostfile));
}

std::string mpirun_commands(const RankList& list) {
  return fmt::format("hosts=$(mktemp)\ncat >\"$hosts\" <<'END'\n{}END\n{}", hostfile_text(list),
                     line_with(list, "\"$hosts\""));
}

}  // namespace lockstep
