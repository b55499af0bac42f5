#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "launch/tools/translate/formats/rank_formats.h"

namespace lockstep {

std::string app_file_text(const RankList& list) {
  const std::vector<RankEntry> processes = launched_processes(list);
  std::unordered_map<std::string_view, int> slots;  // every line of a host has to grant all that its lines use
  for (const RankEntry& entry : processes) ++slots[entry.host];
  std::string text;
  for (const HostRun& run : host_runs(processes)) {
    if (run.host.find(':') != std::string::npos) {
      throw Error(
          ExitCode::configuration,
          fmt::format("{} is an IPv6 address, which mpirun takes in hostfiles alone: use --format=mpirun, or the "
                      "host's name",
                      run.host),
          Scope::every_rank);
    }
    text += fmt::format("-np {} --host {}:{}{} {}\n", run.ranks, run.host, slots[run.host], passed_variables(list),
                        train_command(list));
  }
  return text;
}

}  // namespace lockstep
