#include "launch/tools/translate.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "launch/flags/command_line.h"
#include "launch/flags/exit_code_help.h"
#include "launch/tools/translate/hparams.h"
#include "launch/tools/translate/slurm_lists.h"
#include "launch/tools/translate/tf_config.h"

namespace lockstep {
namespace {

constexpr const char* kProgram = "lockstep translate";

// What can be translated: the flags of one of these groups are given, and of no other.
struct Translation {
  std::string_view group;
  ExitCode (*run)(const CommandLine& line, const Environment& environment, const Print& print);
};

constexpr Translation kTranslations[] = {
    {"Hyperparameters", translate_hparams}, {"Slurm", translate_slurm_lists}, {"TF_CONFIG", translate_tf_config}};

constexpr Flag kFlags[] = {
    {"Hyperparameters", "hparams_base", "JSON", "", "The set to start from, as one flat JSON object"},
    {"Hyperparameters", "hparams", "LIST", "", "Changes to it, in tensor2tensor's grammar: name=value,name=[v,v]"},
    {"Slurm", "hostlist", "LIST", "", "Hosts as Slurm writes them: SLURM_JOB_NODELIST, SLURM_STEP_NODELIST"},
    {"Slurm", "tasks_per_node", "LIST", "", "How many tasks on each: SLURM_TASKS_PER_NODE, SLURM_STEP_TASKS_PER_NODE"},
    {"TF_CONFIG", "reader", "READER", "",
     "Whose view of it is shown: estimator = tf.estimator's RunConfig; contrib = contrib.learn's, which tensor2tensor "
     "uses for a cluster without a chief; resolver = tf.distribute's"},
    {"TF_CONFIG", "tf_config", "JSON", "", "Its value, if it is not that of the environment"},
    {"What is shown", "format", "FORMAT", "json", "How to print the result: json"},
    {"What is shown", "help", "", "", "Show this text, and end"},
};

ExitCode print_help(const Print& print) {
  print(
      "lockstep translate: shows what Lockstep makes of the ways in which tensor2tensor, TensorFlow and Slurm say\n"
      "things.\n"
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
      "\n"
      "  lockstep translate --reader=estimator\n"
      "  lockstep translate --reader=resolver --tf_config='{\"cluster\": {\"worker\": [\"a:1\", \"b:1\"]}}'\n"
      "\n"
      "prints what a program of TensorFlow's finds in TF_CONFIG, as one line of JSON: its role, whether it is\n"
      "the chief, how many workers it counts, the address of its session, ... The readers of TF_CONFIG\n"
      "disagree, and so may their answers. null: it knows no such thing; {\"error\": ...}: to ask it for the\n"
      "value raises this exception. Where the reader refuses TF_CONFIG as a whole, its message goes to the\n"
      "standard error, and the exit code is 78.\n"
      "\n" +
      flags_help(kFlags) + "\n" + exit_code_help());
  return ExitCode::done;
}

[[noreturn]] void refuse_translation(const std::string& why) { throw Error(ExitCode::usage, why, Scope::every_rank); }

bool is_asked_for(const CommandLine& line, const Translation& translation) {
  return std::ranges::any_of(
      kFlags, [&](const Flag& flag) { return flag.group == translation.group && line.given(flag.name); });
}

const Translation& asked_for(const CommandLine& line) {
  const Translation* asked = nullptr;
  for (const Translation& translation : kTranslations) {
    if (!is_asked_for(line, translation)) continue;
    if (asked != nullptr) {
      refuse_translation(
          "lockstep translate: hyperparameters, lists of Slurm's and TF_CONFIG are not translated at once; leave out "
          "all but one of them");
    }
    asked = &translation;
  }
  if (asked == nullptr) {
    refuse_translation(
        "lockstep translate needs --hparams_base=JSON, the hyperparameters that --hparams changes, a list of Slurm's, "
        "--hostlist=LIST or --tasks_per_node=LIST, or a reader of TF_CONFIG, --reader=READER; lockstep translate "
        "--help shows examples");
  }
  return *asked;
}

}  // namespace

ExitCode translate(std::span<const std::string> args, const Environment& environment, const Print& print) {
  if (asks_for_help(args)) return print_help(print);
  const CommandLine line(kProgram, kFlags, args);
  if (line.on("help")) return print_help(print);
  const std::array<std::string, 1> formats = {"json"};
  line.choice("format", formats);
  return asked_for(line).run(line, environment, print);
}

}  // namespace lockstep
