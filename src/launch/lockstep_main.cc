// The `lockstep` program: everything around `train`, by subcommand. One process; it never starts MPI.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/nearest.h"
#include "launch/exit_code_help.h"
#include "launch/translate.h"
#include "launch/version.h"

namespace lockstep {
namespace {

struct Subcommand {
  const char* name;
  const char* help;
  std::string (*run)(std::span<const std::string> args);  // returns what is to be printed
};

constexpr Subcommand kSubcommands[] = {
    {"translate", "Show what Lockstep makes of hyperparameters given in tensor2tensor's grammar", translate},
};

std::string help() {
  std::string text =
      "lockstep: everything around train, by subcommand.\n"
      "\n"
      "  lockstep translate --hparams_base='{\"hidden_size\": 512}' --hparams=hidden_size=256\n"
      "  lockstep translate --help\n"
      "\n"
      "Subcommands:\n";
  for (const Subcommand& each : kSubcommands) text += fmt::format("  {:<12}{}\n", each.name, each.help);
  text +=
      "\n"
      "Flags:\n"
      "  --help      Show this text, and end; behind a subcommand, its own help\n"
      "  --version   Show the version and what is built in, and end\n"
      "\n"
      "Training is another program: train --help\n"
      "\n";
  return text + exit_code_help();
}

std::string run(std::span<const std::string> args) {
  if (args.empty()) throw Error(ExitCode::usage, "lockstep needs a subcommand; lockstep --help lists them");
  const std::string& first = args[0];
  if (first == "--help" || first == "-h") return help();
  if (first == "--version") return version_text() + "\n";
  std::vector<std::string> names;
  for (const Subcommand& each : kSubcommands) {
    if (first == each.name) return each.run(args.subspan(1));
    names.emplace_back(each.name);
  }
  throw Error(ExitCode::usage, fmt::format("lockstep has no subcommand '{}'{}; lockstep --help lists them", first,
                                           did_you_mean(first, names)));
}

// A closed pipe or a full disk must not look like success.
void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error(ExitCode::cannot_write, "cannot write the result to the standard output: disk full or pipe closed?");
  }
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  using lockstep::ExitCode;
  ExitCode code = ExitCode::done;
  try {
    const std::vector<std::string> args(argv + 1, argv + argc);
    lockstep::print(lockstep::run(args));
  } catch (const lockstep::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    code = error.code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "lockstep: internal error: {}\n", error.what());
    code = ExitCode::internal;
  }
  return static_cast<int>(code);
}
