#include "launch/translate.h"

#include <array>

#include "base/error.h"
#include "base/hparams_json.h"
#include "launch/flags/command_line.h"
#include "launch/flags/exit_code_help.h"

namespace lockstep {
namespace {

constexpr const char* kProgram = "lockstep translate";

constexpr Flag kFlags[] = {
    {"Hyperparameters", "hparams_base", "JSON", "", "The set to start from, as one flat JSON object"},
    {"Hyperparameters", "hparams", "LIST", "", "Changes to it, in tensor2tensor's grammar: name=value,name=[v,v]"},
    {"What is shown", "format", "FORMAT", "json", "How to print the result: json"},
    {"What is shown", "help", "", "", "Show this text, and end"},
};

ExitCode print_help(const Print& print) {
  print(
      "lockstep translate: shows what Lockstep makes of tensor2tensor's ways to say things.\n"
      "\n"
      "  lockstep translate --hparams_base='{\"hidden_size\": 512, \"dropout\": 0.1}' --hparams=dropout=0.2\n"
      "\n"
      "prints the base with the changes applied, as one line of JSON. A value's type is that of the base:\n"
      "2 is an integer, 2.0 a number.\n"
      "\n" +
      flags_help(kFlags) + "\n" + exit_code_help());
  return ExitCode::done;
}

}  // namespace

ExitCode translate(std::span<const std::string> args, const Print& print) {
  if (asks_for_help(args)) return print_help(print);
  const CommandLine line(kProgram, kFlags, args);
  if (line.on("help")) return print_help(print);
  const std::array<std::string, 1> formats = {"json"};
  line.choice("format", formats);
  if (!line.given("hparams_base")) {
    throw Error(ExitCode::usage,
                "lockstep translate needs --hparams_base=JSON, the hyperparameters that --hparams changes; lockstep "
                "translate --help shows an example",
                Scope::every_rank);
  }
  OrderedHParams ordered = hparams_from_json(line.text("hparams_base"), "--hparams_base");
  ordered.hparams.parse(line.text("hparams"));
  print(hparams_to_json(ordered) + "\n");
  return ExitCode::done;
}

}  // namespace lockstep
