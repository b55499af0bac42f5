#include "launch/tools/inspect.h"

#include <array>

#include "base/error.h"
#include "checkpoint/find_checkpoint.h"
#include "launch/flags/command_line.h"
#include "launch/flags/exit_code_help.h"
#include "launch/tools/checkpoint_summary.h"

namespace lockstep {
namespace {

constexpr const char* kInspect = "lockstep inspect";

constexpr Flag kInspectFlags[] = {
    {"What is shown", "format", "FORMAT", "text", "How to print it: text, or json on one line"},
    {"What is shown", "help", "", "", "Show this text, and end"},
};

ExitCode print_inspect_help(const Print& print) {
  print(
      "lockstep inspect: shows what a checkpoint holds.\n"
      "\n"
      "  lockstep inspect RUN/model.ckpt-120.h5\n"
      "  lockstep inspect --format=json RUN\n"
      "\n"
      "A folder stands for the newest checkpoint in it. The file is checked against its seal before\n"
      "anything of it is used: where that is wrong, the exit code is 65.\n"
      "\n" +
      flags_help(kInspectFlags) + "\n" + exit_code_help());
  return ExitCode::done;
}

}  // namespace

ExitCode inspect(std::span<const std::string> args, const Print& print) {
  if (asks_for_help(args)) return print_inspect_help(print);
  const CommandLine line(kInspect, kInspectFlags, args, {}, {.placeholder = "CKPT", .least = 1, .most = 1});
  const std::array<std::string, 2> formats = {"text", "json"};
  const bool text = line.choice("format", formats) == 0;
  const CheckpointSummary summary = summarize_checkpoint(find_checkpoint(line.operands().front()));
  print(text ? summary_text(summary) : summary_json(summary) + "\n");
  return ExitCode::done;
}

}  // namespace lockstep
