#include "launch/tools/translate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/error.h"
#include "base/hparams_json.h"
#include "base/json.h"
#include "base/slurm_lists.h"
#include "launch/flags/command_line.h"
#include "launch/flags/exit_code_help.h"

namespace lockstep {
namespace {

constexpr const char* kProgram = "lockstep translate";

constexpr Flag kFlags[] = {
    {"Hyperparameters", "hparams_base", "JSON", "", "The set to start from, as one flat JSON object"},
    {"Hyperparameters", "hparams", "LIST", "", "Changes to it, in tensor2tensor's grammar: name=value,name=[v,v]"},
    {"Slurm", "hostlist", "LIST", "", "Hosts as Slurm writes them: SLURM_JOB_NODELIST, SLURM_STEP_NODELIST"},
    {"Slurm", "tasks_per_node", "LIST", "", "How many tasks on each: SLURM_TASKS_PER_NODE, SLURM_STEP_TASKS_PER_NODE"},
    {"What is shown", "format", "FORMAT", "json", "How to print the result: json"},
    {"What is shown", "help", "", "", "Show this text, and end"},
};

ExitCode print_help(const Print& print) {
  print(
      "lockstep translate: shows what Lockstep makes of the ways in which tensor2tensor and Slurm say things.\n"
      "\n"
      "  lockstep translate --hparams_base='{\"hidden_size\": 512, \"dropout\": 0.1}' --hparams=dropout=0.2\n"
      "\n"
      "prints the base with the changes applied, as one line of JSON. A value's type is that of the base:\n"
      "2 is an integer, 2.0 a number.\n"
      "\n"
      "  lockstep translate --hostlist='n[08-10],login'\n"
      "  lockstep translate --tasks_per_node='2(x3),1'\n"
      "  lockstep translate --hostlist='n[08-10],login' --tasks_per_node='2(x3),1'\n"
      "\n"
      "prints the list with each of its hosts or numbers, as one line of JSON; of both, the host of each rank\n"
      "and its number there, as srun places them unless --distribution says otherwise: host by host, in the\n"
      "order of the list.\n"
      "\n" +
      flags_help(kFlags) + "\n" + exit_code_help());
  return ExitCode::done;
}

[[noreturn]] void refuse_translation(const std::string& why) { throw Error(ExitCode::usage, why, Scope::every_rank); }

// Who is where: each rank's host, and its number among the ranks there.
Json ranks_of(const std::vector<std::string>& hosts, const std::vector<int>& tasks) {
  if (hosts.size() != tasks.size()) {
    refuse_translation(
        fmt::format("--hostlist stands for {} hosts and --tasks_per_node for {}; they have to be as many", hosts.size(),
                    tasks.size()));
  }
  Json::Array ranks;
  for (std::size_t node = 0; node < hosts.size(); ++node) {
    if (static_cast<std::size_t>(tasks[node]) > kMaxSlurmNodes - ranks.size()) {
      refuse_translation(
          fmt::format("--tasks_per_node stands for more than {} tasks, the most that are shown", kMaxSlurmNodes));
    }
    for (std::int64_t local_rank = 0; local_rank < tasks[node]; ++local_rank) {
      const auto rank = static_cast<std::int64_t>(ranks.size());
      ranks.push_back(Json::Object{{"rank", rank}, {"host", hosts[node]}, {"local_rank", local_rank}});
    }
  }
  return ranks;
}

Json slurm_lists(const CommandLine& line) {
  std::vector<std::string> hosts;
  if (line.given("hostlist")) hosts = expand_hostlist(line.text("hostlist"));
  if (!line.given("tasks_per_node")) return Json::Array(hosts.begin(), hosts.end());
  const std::vector<int> tasks = expand_tasks_per_node(line.text("tasks_per_node"));
  if (line.given("hostlist")) return ranks_of(hosts, tasks);
  return Json::Array(tasks.begin(), tasks.end());
}

ExitCode print_slurm_lists(const CommandLine& line, const Print& print) {
  try {
    print(slurm_lists(line).text() + "\n");
  } catch (const std::invalid_argument&) {
    line.refuse("hostlist", "not UTF-8, and so no names of hosts");
  }
  return ExitCode::done;
}

ExitCode print_hparams(const CommandLine& line, const Print& print) {
  if (!line.given("hparams_base")) {
    refuse_translation(
        "lockstep translate needs --hparams_base=JSON, the hyperparameters that --hparams changes, or a list of "
        "Slurm's, --hostlist=LIST or --tasks_per_node=LIST; lockstep translate --help shows examples");
  }
  OrderedHParams ordered = hparams_from_json(line.text("hparams_base"), "--hparams_base");
  ordered.hparams.parse(line.text("hparams"));
  print(hparams_to_json(ordered) + "\n");
  return ExitCode::done;
}

}  // namespace

ExitCode translate(std::span<const std::string> args, const Print& print) {
  if (asks_for_help(args)) return print_help(print);
  const CommandLine line(kProgram, kFlags, args);
  if (line.on("help")) return print_help(print);
  const std::array<std::string, 1> formats = {"json"};
  line.choice("format", formats);
  const bool of_slurm = line.given("hostlist") || line.given("tasks_per_node");
  if (of_slurm && (line.given("hparams_base") || line.given("hparams"))) {
    refuse_translation(
        "lockstep translate: hyperparameters and lists of Slurm's are not translated at once; leave out one of them");
  }
  return of_slurm ? print_slurm_lists(line, print) : print_hparams(line, print);
}

}  // namespace lockstep
