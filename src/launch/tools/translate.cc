#include "launch/tools/translate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.h"
#include "launch/flags/command_line.h"
#include "launch/flags/flags_from_settings.h"
#include "launch/tools/translate/hparams.h"
#include "launch/tools/translate/ranks.h"
#include "launch/tools/translate/slurm_lists.h"
#include "launch/tools/translate/tf_config.h"
#include "launch/tools/translate/translate_help.h"

namespace lockstep {
namespace {

constexpr const char* kProgram = "lockstep cluster";

ExitCode print_help(const Print& print) {
  print(translate_help());
  return ExitCode::done;
}

// For users who may have meant machine translation.
constexpr const char* kNoTranslation =
    "lockstep cluster, which was called translate, describes clusters; there is no command to translate text yet";

// Users try whole command lines of train here.
std::string explain_flag(std::string_view name, CalledBy called) {
  const bool by_old_name = called == CalledBy::old_name;
  if (find_flag(flags_from_settings(), name) != nullptr) {
    return fmt::format("it is train's, and does not say who runs where; leave it out{}{}", by_old_name ? "; " : "",
                       by_old_name ? kNoTranslation : "");
  }
  return by_old_name && nearest(name, names_of(translate_flags())).empty() ? kNoTranslation : "";
}

[[noreturn]] void refuse_translation(const std::string& why) { throw Error(ExitCode::usage, why, Scope::every_rank); }

// Returns whether a flag of the group is given.
bool has(const CommandLine& line, std::string_view group) {
  return std::ranges::any_of(translate_flags(),
                             [&](const Flag& flag) { return flag.group == group && line.given(flag.name); });
}

void check_groups(const CommandLine& line) {
  constexpr std::string_view kSources[] = {kHParamTopic, kSlurmTopic, kClusterTopic, kHostTopic};
  if (std::ranges::count_if(kSources, [&](std::string_view group) { return has(line, group); }) > 1) {
    refuse_translation(
        "lockstep cluster: hyperparameters, lists of Slurm's, TF_CONFIG and a hostfile are not translated at once; "
        "leave out all but one of them");
  }
}

// hparams and readers have one format. asked: the flag that asks for them.
void check_json(const CommandLine& line, const std::vector<std::string>& formats, const char* asked) {
  if (line.choice("format", formats) != 0) {
    line.refuse("format", fmt::format("--{} has the one format json, the others are for the ranks of a job; leave out "
                                      "one of the two flags",
                                      asked));
  }
  for (const char* flag : {"explain", "output"}) {
    if (line.given(flag))
      line.refuse(flag, fmt::format("it is for the ranks of a job, not for --{}; leave it out", asked));
  }
}

}  // namespace

ExitCode translate(std::span<const std::string> args, const Environment& environment, const Print& print,
                   const Print& warn, CalledBy called) {
  if (asks_for_help(args)) return print_help(print);
  const CommandLine line(kProgram, translate_flags(), args,
                         [called](std::string_view name, const auto& /*value*/) { return explain_flag(name, called); });
  if (line.on("help")) return print_help(print);
  check_groups(line);
  const std::vector<std::string> formats = rank_format_names();
  if (has(line, kHParamTopic)) {
    check_json(line, formats, line.given("hparams") ? "hparams" : "hparams_base");
    return translate_hparams(line, environment, print);
  }
  if (line.given("reader")) {
    check_json(line, formats, "reader");
    return translate_tf_config(line, environment, print);
  }
  const bool only_lists = !line.given("format") && !line.given("output") && !line.on("explain");
  if (has(line, kSlurmTopic) && only_lists) return translate_slurm_lists(line, environment, print);
  if (!has(line, kClusterTopic) && !has(line, kHostTopic) && !has(line, kShownTopic)) {
    const std::string old_name = called == CalledBy::old_name ? fmt::format("{}. ", kNoTranslation) : "";
    refuse_translation(
        old_name +
        "lockstep cluster needs --explain or --format=FORMAT, for the ranks of a job, --reader=READER, for a view of "
        "TF_CONFIG, a list of Slurm's, --hostlist=LIST or --tasks_per_node=LIST, or --hparams_base=JSON, the "
        "hyperparameters that --hparams changes; lockstep cluster --help shows examples");
  }
  return translate_ranks(line, environment, print, warn);
}

}  // namespace lockstep
