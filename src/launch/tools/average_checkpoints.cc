#include "launch/tools/average_checkpoints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>
#include <limits>
#include <vector>

#include "base/counted.h"
#include "base/durable_file.h"
#include "base/error.h"
#include "base/printable.h"
#include "checkpoint/average.h"
#include "checkpoint/encoder.h"
#include "launch/flags/command_line.h"
#include "launch/flags/exit_code_help.h"
#include "launch/tools/averaged_files.h"

namespace lockstep {
namespace {

constexpr const char* kAverageCheckpoints = "lockstep average-checkpoints";

constexpr std::int64_t kMostCheckpoints = std::numeric_limits<std::int32_t>::max();

constexpr Flag kAverageFlags[] = {
    {"What is averaged", "prefix", "PREFIX", "",
     "The folder of the checkpoints; with --checkpoints, a folder or text that is put before each name"},
    {"What is averaged", "num_last_checkpoints", "N", "", "The newest N checkpoints of the folder --prefix"},
    {"What is averaged", "checkpoints", "LIST", "",
     "These files, with commas between them: --prefix=RUN/ --checkpoints=model.ckpt-100.h5,model.ckpt-200.h5"},
    {"What is averaged", "weights", "WHICH", "plain",
     "plain = the parameters; ema = the moving average of --ema, which all files have to hold"},
    {"Where it goes", "output_path", "FILE", "", "The checkpoint that is written"},
    {"Where it goes", "overwrite", "", "", "Replace the file --output_path if it exists"},
    {"What is shown", "help", "", "", "Show this text, and end"},
};

ExitCode print_average_help(const Print& print) {
  print(
      "lockstep average-checkpoints: writes a checkpoint with the mean of the parameters of several checkpoints.\n"
      "\n"
      "  lockstep average-checkpoints --prefix=RUN --num_last_checkpoints=5 --output_path=averaged.h5\n"
      "  lockstep average-checkpoints --checkpoints=A/model.ckpt-900.h5,B/model.ckpt-900.h5 --output_path=averaged.h5\n"
      "\n"
      "The mean is computed in float64 and rounded once. The result is a checkpoint of the same model without\n"
      "the optimizer's state and without a moving average; everything else, the step included, is taken from the\n"
      "file with the greatest step; a text's vocabulary from the first file that has one. A new run begins with\n"
      "its parameters by train --warm_start_from=FILE.\n"
      "\n" +
      flags_help(kAverageFlags) + "\n" + exit_code_help());
  return ExitCode::done;
}

[[noreturn]] void refuse_average(const std::string& why) { throw Error(ExitCode::usage, why); }

// The files that the flags ask for.
std::vector<std::string> asked_files(const CommandLine& line) {
  const bool listed = line.given("checkpoints");
  if (listed == line.given("num_last_checkpoints")) {
    refuse_average(fmt::format("{} needs {} --checkpoints=LIST or --num_last_checkpoints=N; {} --help shows examples",
                               kAverageCheckpoints, listed ? "one of the two," : "either", kAverageCheckpoints));
  }
  if (listed) return listed_checkpoints(line.text("prefix"), line.text("checkpoints"));
  if (!line.given("prefix")) {
    refuse_average("--num_last_checkpoints needs the folder that they lie in: --prefix=RUN");
  }
  const std::int64_t count = line.integer("num_last_checkpoints", 1, kMostCheckpoints);
  return last_checkpoints(line.text("prefix"), count);
}

void check_output(const CommandLine& line) {
  const std::string path = line.text("output_path");
  if (path.empty()) {
    refuse_average(fmt::format("{} needs --output_path=FILE, where the result goes", kAverageCheckpoints));
  }
  check_file_place(path, "--output_path=" + path);
  std::error_code unknown;
  if (line.on("overwrite") || !std::filesystem::exists(path, unknown)) return;
  throw Error(ExitCode::configuration,
              fmt::format("--output_path={}: the file exists; give another name, or add --overwrite", escaped(path)));
}

std::string result_text(const CommandLine& line, std::span<const std::string> files) {
  const std::string asked = line.text("num_last_checkpoints");
  const bool fewer = !asked.empty() && std::ssize(files) < line.integer("num_last_checkpoints", 1, kMostCheckpoints);
  std::string text =
      fmt::format("{}: the mean of {}{}\n", escaped(line.text("output_path")), counted(std::ssize(files), "checkpoint"),
                  fewer ? fmt::format("; the folder holds no {}", asked) : "");
  for (const std::string& file : files) text += fmt::format("  {}\n", escaped(file));
  return text;
}

// A line about different hyperparameters; "" if all files have the same.
std::string hparams_text(const AveragedCheckpoint& mean) {
  if (mean.other_hparams.empty()) return "";
  return fmt::format("their hyperparameters differ in {}; the result says those of step {}\n",
                     escaped(fmt::format("{}", fmt::join(mean.other_hparams, ", "))), mean.header.step);
}

}  // namespace

ExitCode average_checkpoints_command(std::span<const std::string> args, const Print& print) {
  if (asks_for_help(args)) return print_average_help(print);
  const CommandLine line(kAverageCheckpoints, kAverageFlags, args);
  const std::array<std::string, 2> weights = {"plain", "ema"};
  const AverageOf of = line.choice("weights", weights) == 0 ? AverageOf::parameters : AverageOf::moving_average;
  check_output(line);
  const std::vector<std::string> files = asked_files(line);
  const AveragedCheckpoint mean = average_checkpoints(files, of);
  const EncodedCheckpoint image(mean.header, {.table = &mean.table}, {.parameters = mean.parameters});
  replace_file(line.text("output_path"), image.bytes(), {}, "--output_path");
  print(result_text(line, files) + hparams_text(mean));
  return ExitCode::done;
}

}  // namespace lockstep
