// The `lockstep` program: tools for use with `train`, by subcommand. One process; it never starts MPI.

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "launch/flags/exit_code_help.h"
#include "launch/job/stderr_terminal.h"
#include "launch/standard_output.h"
#include "launch/tools/average_checkpoints.h"
#include "launch/tools/inspect.h"
#include "launch/tools/make_tf_configs.h"
#include "launch/tools/report.h"
#include "launch/tools/translate.h"
#include "launch/version.h"
#include "train/config/schedules.h"

namespace lockstep {
namespace {

struct Subcommand {
  const char* name;
  const char* help;
  // args: those after the name. Output goes to `print` as it is made. Throws Error.
  ExitCode (*run)(std::span<const std::string> args, const Print& print);
  bool listed = true;  // by --help; an old name need not be
};

void print_to_stderr(std::string_view text) { fmt::print(stderr, "{}", text); }

constexpr Subcommand kSubcommands[] = {
    {"average-checkpoints", "Write a checkpoint with the mean of the parameters of several checkpoints",
     average_checkpoints_command},
    {"cluster",
     "Turn TF_CONFIG, Slurm's, Grid Engine's or mpirun's description of a job into another of them; apply changes to a "
     "set of hyperparameters and print it",
     [](std::span<const std::string> args, const Print& print) {
       return translate(args, process_environment(), print, print_to_stderr);
     }},
    {"inspect", "Show what a checkpoint holds", inspect},
    {"make-tf-configs", "Print TF_CONFIG and the flags for each job of a cluster, as t2t-make-tf-configs does",
     [](std::span<const std::string> args, const Print& print) {
       return make_tf_configs(args, print, print_to_stderr);
     }},
    {"report", "Show the curves of runs: as one HTML page, in the terminal, or as JSON", report},
    {"translate", "The old name of cluster",
     [](std::span<const std::string> args, const Print& print) {
       return translate(args, process_environment(), print, print_to_stderr, CalledBy::old_name);
     },
     false},
};

// Advice for a command that other programs have under this name; "" if unknown.
std::string instead_of(std::string_view subcommand) {
  if (subcommand == "train") return "training is a program of its own: train";
  const auto* const kind = std::ranges::find(kSchedules, subcommand, &ScheduleKind::name);
  if (kind != std::end(kSchedules)) return fmt::format("it is a schedule of train: train --schedule={}", subcommand);
  return std::string(instead_of_schedule(subcommand));
}

std::string help() {
  std::string text =
      "lockstep: tools for use beside train, by subcommand. Training itself is another program: train --help\n"
      "\n"
      "  lockstep inspect RUN\n"
      "  lockstep cluster --hparams_base='{\"hidden_size\": 512}' --hparams=hidden_size=256\n"
      "  lockstep cluster --explain\n"
      "  lockstep cluster --help\n"
      "\n"
      "Subcommands:\n";
  for (const Subcommand& each : kSubcommands) {
    if (each.listed) text += fmt::format("  {:<21}{}\n", each.name, each.help);
  }
  text +=
      "\n"
      "Flags:\n"
      "  --help      Show this text, and end; after a subcommand, its own help\n"
      "  --version   Show the version and what is built in, and end\n"
      "\n";
  return text + exit_code_help();
}

ExitCode run(std::span<const std::string> args, const Print& print) {
  if (args.empty()) throw Error(ExitCode::usage, "lockstep needs a subcommand; lockstep --help lists them");
  const std::string& first = args[0];
  if (first == "--help" || first == "-h") {
    print(help());
    return ExitCode::done;
  }
  if (first == "--version") {
    print(version_text() + "\n");
    return ExitCode::done;
  }
  std::vector<std::string> names;
  for (const Subcommand& each : kSubcommands) {
    if (first == each.name) return each.run(args.subspan(1), print);
    names.emplace_back(each.name);
  }
  if (const std::string instead = instead_of(first); !instead.empty()) {
    throw Error(ExitCode::usage, fmt::format("lockstep has no subcommand {}: {}", in_quotes(first), instead));
  }
  throw Error(ExitCode::usage, fmt::format("lockstep has no subcommand {}{}; lockstep --help lists them",
                                           in_quotes(first), did_you_mean(first, names)));
}

ExitCode report_failure(const std::string& message, ExitCode code) {
  const auto terminal = stderr_terminal(launch_identity(process_environment()).launcher);
  fmt::print(stderr, "{}", error_line(terminal.get(), message));
  return code;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  using lockstep::ExitCode;
  ExitCode code = ExitCode::done;
  try {
    const std::vector<std::string> args(argv + 1, argv + argc);
    std::signal(SIGPIPE, SIG_IGN);  // a closed output is reported as a write error
    code = lockstep::run(args, lockstep::print_to_standard_output);
  } catch (const lockstep::Error& error) {
    code = lockstep::report_failure(error.what(), error.code());
  } catch (const std::exception& error) {
    code = lockstep::report_failure("lockstep: internal error: " + lockstep::printable_message(error.what()),
                                    ExitCode::internal);
  }
  return static_cast<int>(code);
}
