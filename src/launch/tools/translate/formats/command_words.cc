#include "base/printable.h"
#include "launch/tools/translate/formats/rank_formats.h"

namespace lockstep {

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string train_command(const RankList& list) {
  std::string command = kTrainProgram;
  for (const std::string& flag : list.train_flags) command += " " + shell_word(flag);
  return command;
}

std::string passed_variables(const RankList& list) {
  std::string flags;
  for (const ClusterVariable& variable : list.variables) flags += " -x " + variable.name;
  return flags;
}

std::vector<std::string> variable_assignments(const RankList& list) {
  std::vector<std::string> assignments;
  for (const ClusterVariable& variable : list.variables) {
    if (!variable.value) continue;
    assignments.push_back(variable.name + "=" + (variable.value->empty() ? "" : shell_word(*variable.value)));
  }
  return assignments;
}

// A line break would end the comment.
std::string script_source(const RankList& list) { return escaped(list.source); }

bool is_host_by_host(std::span<const RankEntry> processes) {
  return host_runs(processes).size() == processes_by_host(processes).size();
}

}  // namespace lockstep
