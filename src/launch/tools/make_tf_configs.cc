#include "launch/tools/make_tf_configs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <vector>

#include "base/printable.h"
#include "base/split.h"
#include "launch/flags/command_line.h"
#include "launch/flags/exit_code_help.h"
#include "launch/tools/address_faults.h"
#include "launch/tools/t2t_jobs.h"

namespace lockstep {
namespace {

constexpr const char* kMakeTfConfigs = "lockstep make-tf-configs";

constexpr Flag kMakeTfConfigsFlags[] = {
    {"The cluster", "masters", "LIST", "", "Addresses HOST:PORT of the masters, with commas between them"},
    {"The cluster", "ps", "LIST", "", "Addresses HOST:PORT of the parameter servers"},
    {"How they are checked", "strict", "", "", "Print nothing, and end with 78, if an address will not work"},
    {"What is shown", "help", "", "", "Show this text, and end"},
};

ExitCode print_make_tf_configs_help(const Print& print) {
  print(
      "lockstep make-tf-configs: prints TF_CONFIG and the flags for each job of a cluster, as tensor2tensor's\n"
      "t2t-make-tf-configs does.\n"
      "\n"
      "  lockstep make-tf-configs --masters=10.0.0.1:5555 --ps=10.0.0.2:5555,10.0.0.3:5555\n"
      "  lockstep make-tf-configs --strict --masters=a:2222,b:2222 --ps=c:2222\n"
      "\n"
      "The first line says which kind of training it is; then comes a line for each job, the masters first: its\n"
      "TF_CONFIG between quotes, a tab, and its flags. With one master the parameter servers compute in step and\n"
      "the master leads; with several masters each computes by itself, and the parameter servers hold the model.\n"
      "\n"
      "An address that is empty, occurs twice, has no port, or has a blank, a quote or a control character in\n"
      "it is printed all the same, as tensor2tensor does, with a warning on the standard error.\n"
      "\n" +
      flags_help(kMakeTfConfigsFlags) + "\n" + exit_code_help());
  return ExitCode::done;
}

T2tAddresses asked_addresses(const CommandLine& line) {
  const std::string masters = line.text("masters");
  const std::string ps = line.text("ps");
  if (masters.empty() || ps.empty()) throw Error(ExitCode::usage, "Must provide --masters and --ps");
  return {.masters = split_at(masters, ','), .ps = split_at(ps, ',')};
}

}  // namespace

ExitCode make_tf_configs(std::span<const std::string> args, const Print& print, const Print& warn) {
  if (asks_for_help(args)) return print_make_tf_configs_help(print);
  const CommandLine line(kMakeTfConfigs, kMakeTfConfigsFlags, args);
  const T2tAddresses addresses = asked_addresses(line);
  std::string text;
  try {
    text = t2t_jobs_text(addresses);
  } catch (const std::invalid_argument&) {
    throw Error(ExitCode::usage, "--masters and --ps: an address is not UTF-8, and so no name of a host");
  }
  const std::vector<std::string> faults = address_faults(addresses);
  if (line.on("strict") && !faults.empty()) {
    throw Error(ExitCode::configuration, fmt::format("{}", fmt::join(faults, "\n")));
  }
  for (const std::string& fault : faults) warn(printable_message("warning: " + fault) + "\n");
  print(text);
  return ExitCode::done;
}

}  // namespace lockstep
