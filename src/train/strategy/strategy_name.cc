#include "train/strategy/strategy_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/counted.h"
#include "base/error.h"
#include "base/nearest.h"

namespace lockstep {
namespace {

// Strategies of tf.distribute that no entry of the table has.
struct Missing {
  std::string_view name;
  std::string_view why;
};
constexpr Missing kMissing[] = {
    {"ParameterServer", "there are no parameter servers yet; --strategy=sync sums gradients over the ranks instead"},
    {"CentralStorage", "there is no central storage yet; --strategy=sync keeps the variables on every rank instead"},
    {"TPU", "there is no support for TPUs; --strategy=sync trains on the ranks of mpirun or srun"},
};

// "tf.distribute.experimental.MultiWorkerMirroredStrategy", "multi_worker_mirrored" -> "multiworkermirrored".
std::string plain(std::string_view name) {
  if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) name.remove_prefix(dot + 1);
  std::string letters;
  for (const char c : name) {
    if (c != '_' && c != '-') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (const std::string_view suffix : {"v1", "v2", "strategy"}) {
    if (letters.ends_with(suffix)) letters.resize(letters.size() - suffix.size());
  }
  return letters;
}

[[noreturn]] void refuse(ExitCode code, const std::string& flag, const std::string& why) {
  throw Error(code, fmt::format("{}: {}", flag, why), Scope::every_rank);
}

void check_reach(const std::string& flag, const std::string& own, StrategyReach reach, const JobReach& job) {
  const auto beyond = [&](const char* promised, const std::string& is) {
    refuse(ExitCode::configuration, flag,
           fmt::format("it stands for {}, and this job has {}; --strategy={} is the same for any number", promised, is,
                       own));
  };
  if (reach == StrategyReach::one_host && job.hosts > 1) beyond("replicas on one host", counted(job.hosts, "host"));
  if (reach == StrategyReach::one_rank && job.ranks > 1) beyond("one replica", counted(job.ranks, "rank"));
}

}  // namespace

std::string strategy_called(const std::string& text, const std::string& flag, const Table<StrategyKind>& strategies,
                            const JobReach& job) {
  if (strategies.has(text)) return text;
  const std::string asked = plain(text);
  for (const auto& [own, named] : strategies.entries()) {
    const auto is_asked = [&](const StrategyAlias& alias) { return plain(alias.name) == asked; };
    const auto alias = std::ranges::find_if(named.entry.aliases, is_asked);
    if (alias == named.entry.aliases.end()) continue;
    check_reach(flag, own, alias->reach, job);
    return own;
  }
  for (const Missing& missing : kMissing) {
    if (plain(missing.name) == asked) refuse(ExitCode::configuration, flag, std::string(missing.why));
  }
  const std::vector<std::string> names = strategies.names();
  refuse(ExitCode::usage, flag, expected_one_of(names, text));
}

}  // namespace lockstep
