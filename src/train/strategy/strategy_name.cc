#include "train/strategy/strategy_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/counted.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/python_name.h"

namespace lockstep {
namespace {

// Strategies of tf.distribute that no entry of the table has.
struct Missing {
  std::string_view name;
  std::string_view why;
};
constexpr Missing kMissing[] = {
    {"tpu", "there is no support for TPUs; --strategy=sync trains on the ranks of mpirun or srun"},
};

// Names in papers for ways to train, and the strategy near to each. They stand for none of ours, which differ from
// them.
struct OfPapers {
  std::string_view name;
  std::string_view near;
};
constexpr OfPapers kOfPapers[] = {{"local_sgd", "model_averaging"},
                                  {"diloco", "model_averaging"},
                                  {"easgd", "model_averaging"},
                                  {"hogwild", "parameter_server"},
                                  {"downpour", "parameter_server"}};

// Names in PyTorch's programs, and the text on what does the same here, or the most of it.
struct OfPyTorch {
  std::string_view name;
  std::string_view here;
};
constexpr std::string_view kSync = "it is sync here, the default";
constexpr std::string_view kDividedState =
    "the nearest is sync with --shard_optimizer, which divides the optimizer's state among the ranks, but neither "
    "parameters nor gradients";
constexpr OfPyTorch kOfPyTorch[] = {
    {"ddp", kSync}, {"dp", kSync}, {"horovod", kSync}, {"fsdp", kDividedState}, {"zero", kDividedState}};

// The letters that count of a name: those of "tf.distribute.experimental.MultiWorkerMirroredStrategy" and of
// "multi_worker_mirrored" are "multiworkermirrored".
std::string plain(std::string_view name) {
  std::string letters = letters_of_python_name(name);
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

// The entry of the table that answers to a name of tf.distribute.
struct Answer {
  std::string own;
  StrategyReach reach;
};

std::optional<Answer> answer_to(const std::string& text, const Table<StrategyKind>& strategies) {
  if (strategies.has(text)) return Answer{text, StrategyReach::any};
  for (const auto& [own, named] : strategies.entries()) {
    for (const StrategyAlias& alias : named.entry.aliases) {
      if (plain(alias.name) == plain(text)) return Answer{own, alias.reach};
    }
  }
  return {};
}

// The row with this name; null if there is none.
template <typename Row, std::size_t kRows>
const Row* find_row(const Row (&rows)[kRows], std::string_view Row::*name, const std::string& text) {
  const auto* const found = std::ranges::find_if(rows, [&](const Row& row) { return plain(row.*name) == plain(text); });
  return found == std::end(rows) ? nullptr : found;
}

// The strategy near to a paper's name; "" if it is no such name.
std::string near_of_papers(const std::string& text) {
  const OfPapers* const row = find_row(kOfPapers, &OfPapers::name, text);
  return row == nullptr ? "" : std::string(row->near);
}

}  // namespace

std::string strategy_called(const std::string& text, const std::string& flag, const Table<StrategyKind>& strategies,
                            const JobReach& job) {
  if (const auto answer = answer_to(text, strategies)) {
    check_reach(flag, answer->own, answer->reach, job);
    return answer->own;
  }
  if (const OfPyTorch* row = find_row(kOfPyTorch, &OfPyTorch::name, text)) {
    refuse(ExitCode::usage, flag, std::string(row->here));
  }
  if (const Missing* row = find_row(kMissing, &Missing::name, text)) {
    refuse(ExitCode::configuration, flag, std::string(row->why));
  }
  const std::string near = near_of_papers(text);
  const std::vector<std::string> names = strategies.names();
  refuse(ExitCode::usage, flag, expected_one_of(names, near.empty() ? text : near));
}

std::optional<std::string> strategy_meant(const std::string& text, const Table<StrategyKind>& strategies) {
  const auto answer = answer_to(text, strategies);
  return answer ? std::optional(answer->own) : std::nullopt;
}

}  // namespace lockstep
