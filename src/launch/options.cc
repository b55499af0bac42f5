#include "launch/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/duration.h"
#include "base/error.h"
#include "launch/config_file.h"
#include "launch/train_flags.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostSteps = std::numeric_limits<std::uint32_t>::max();  // RandomStream counts steps in 32 bits
constexpr std::int64_t kMostSamples = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostMicroShards = 4096;  // as many shares as control values add up exactly
constexpr std::chrono::hours kMostPatience{24 * 365};
constexpr std::chrono::seconds kNoTime{0};
constexpr std::chrono::seconds kLeastTime{1};
constexpr double kMostFusionMb = 65536;

const std::array<std::string, 2> kStrategies = {"sync", "model_averaging"};
const std::array<std::string, 3> kOverlaps = {"auto", "inline", "thread"};
const std::array<std::string, 2> kResumes = {"newest", "previous"};

// A name or a folder: an empty one is a script's unset variable, not a wish.
std::string filled_text(const CommandLine& line, std::string_view name) {
  if (line.given(name) && line.text(name).empty()) line.refuse(name, "the value is empty; is a variable unset?");
  return line.text(name);
}

std::optional<std::int64_t> optional_integer(const CommandLine& line, std::string_view name, std::int64_t most) {
  if (!line.given(name)) return {};
  return line.integer(name, 1, most);
}

// 1 would keep the initial values for ever.
std::optional<double> decay(const CommandLine& line, std::string_view name) {
  if (!line.given(name)) return {};
  const double value = line.number_above_zero(name, 1);
  if (value == 1) line.refuse(name, "expected a number above 0 and below 1, such as 0.999");
  return value;
}

std::chrono::seconds duration(const CommandLine& line, std::string_view name, std::chrono::seconds least) {
  const auto time = parse_duration(line.text(name));
  if (!time || *time < least) {
    line.refuse(
        name, fmt::format("expected a time{}, as {}", least > kNoTime ? " of at least a second" : "", kDurationForms));
  }
  if (*time > kMostPatience) line.refuse(name, "expected a time of at most a year");
  return *time;
}

std::optional<std::chrono::seconds> optional_duration(const CommandLine& line, std::string_view name,
                                                      std::chrono::seconds least) {
  if (!line.given(name)) return {};
  const std::chrono::seconds time = duration(line, name, least);
  if (time == kNoTime) return {};
  return time;
}

// "learning-rate,batch_size" as {"learning_rate", "batch_size"}.
std::vector<std::string> names_in(const CommandLine& line, std::string_view flag) {
  std::vector<std::string> names;
  if (!line.given(flag)) return names;
  std::string text = line.text(flag);
  std::ranges::replace(text, '-', '_');
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    if (names.back().empty()) line.refuse(flag, "expected names with commas between them, such as learning_rate,ema");
    begin = end + 1;
  }
  return names;
}

// "gs", if the folder is written gs://bucket/run: then it is no folder of a file system.
std::string_view scheme_of(std::string_view folder) {
  const std::size_t end = folder.find("://");
  if (end == std::string_view::npos || end == 0) return {};
  const std::string_view scheme = folder.substr(0, end);
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";  // RFC 3986
  return scheme.find_first_not_of(kLetters) == std::string_view::npos ? scheme : std::string_view();
}

void check_output(const CommandLine& line, const TrainOptions& options) {
  if (const auto scheme = scheme_of(options.output_dir); !scheme.empty()) {
    throw Error(
        ExitCode::configuration,
        fmt::format("--output_dir={}: {}:// is no folder of this machine, and checkpoints are written to folders "
                    "only; mount that storage and give the mounted folder, or write to a local one and copy it",
                    options.output_dir, scheme),
        Scope::every_rank);
  }
  if (options.save_steps && options.save_time) {
    line.refuse("save_checkpoints_secs",
                "--save_checkpoints_steps is given, too: both say when to save; leave one of the two out");
  }
  if (!options.output_dir.empty()) return;
  for (const char* name :
       {"save_checkpoints_steps", "save_checkpoints_secs", "keep_checkpoint_max", "resume", "allow_changes"}) {
    if (line.given(name)) line.refuse(name, "has a meaning with --output_dir=DIR only; add that or leave it out");
  }
}

// Flags that say something in one mode only.
void check_meaning(const CommandLine& line, const TrainOptions& options) {
  const auto refuse_given = [&](std::string_view name, std::string_view instead) {
    if (line.given(name)) line.refuse(name, std::string(instead));
  };
  if (options.train_steps) {
    refuse_given("train_epochs", "--train_steps is given, too: both say how long to train; leave one of the two out");
  }
  if (options.exact && options.strategy == StrategyChoice::model_averaging) {
    throw Error(ExitCode::configuration,
                "--exact cannot be kept with --strategy=model_averaging: what ranks learn alone depends on how many "
                "there are; leave one of the two out",
                Scope::every_rank);
  }
  if (options.strategy != StrategyChoice::model_averaging) {
    refuse_given("sync_every", "has a meaning with --strategy=model_averaging only; add that or leave it out");
  } else {
    constexpr const char* kSyncOnly = "has a meaning with --strategy=sync only; model_averaging exchanges no gradients";
    refuse_given("fusion_mb", kSyncOnly);
    refuse_given("overlap", kSyncOnly);
  }
  if (!options.exact) {
    refuse_given("micro_shards", "has a meaning with --exact only; add that or leave it out");
  } else if (!options.global_batch_size) {
    throw Error(ExitCode::usage,
                "--exact needs --global_batch_size=N: without it the batch, and so the result, would grow with the "
                "number of ranks",
                Scope::every_rank);
  }
}

ParsedOptions::Request request_of(const CommandLine& line) {
  if (line.on("help")) return ParsedOptions::Request::help;
  if (line.on("version")) return ParsedOptions::Request::version;
  if (line.on("registry_help")) return ParsedOptions::Request::registry_help;
  if (line.on("print_hparams")) return ParsedOptions::Request::print_hparams;
  if (line.on("print_schedule")) return ParsedOptions::Request::print_schedule;
  return ParsedOptions::Request::train;
}

TrainOptions read_options(const CommandLine& line) {
  TrainOptions options;
  options.problem = filled_text(line, "problem");
  options.model = filled_text(line, "model");
  options.hparams_set = line.given("hparams_set") ? filled_text(line, "hparams_set") : options.model;
  options.hparams = line.text("hparams");
  options.usr_lib = filled_text(line, "usr_lib");
  options.data_dir = filled_text(line, "data_dir");
  options.output_dir = filled_text(line, "output_dir");

  options.train_steps = optional_integer(line, "train_steps", kMostSteps);
  options.train_epochs = optional_integer(line, "train_epochs", kMostSteps);
  options.eval_steps = optional_integer(line, "eval_steps", kMostSteps);
  options.ema = decay(line, "ema");
  options.local_eval_frequency = line.integer("local_eval_frequency", 0, kMostSteps);
  options.random_seed = static_cast<std::uint64_t>(line.integer("random_seed", 0, kMost));

  options.strategy = static_cast<StrategyChoice>(line.choice("strategy", kStrategies));
  options.sync_every = line.integer("sync_every", 1, kMostSteps);
  options.global_batch_size = optional_integer(line, "global_batch_size", kMostSamples);
  options.exact = line.on("exact");
  options.micro_shards = static_cast<int>(line.integer("micro_shards", 1, kMostMicroShards));
  if (line.given("fusion_mb")) options.fusion_mb = line.number_above_zero("fusion_mb", kMostFusionMb);
  options.overlap = static_cast<OverlapChoice>(line.choice("overlap", kOverlaps));
  options.hang_timeout = duration(line, "hang_timeout", kLeastTime);

  options.save_steps = optional_integer(line, "save_checkpoints_steps", kMostSteps);
  options.save_time = optional_duration(line, "save_checkpoints_secs", kNoTime);
  options.keep_checkpoints = line.integer("keep_checkpoint_max", 0, kMostSteps);
  options.resume_previous = line.choice("resume", kResumes) == 1;
  options.allow_changes = names_in(line, "allow_changes");
  options.stop_after = optional_duration(line, "stop_after", kLeastTime);

  options.device = filled_text(line, "device");
  options.log_every = line.integer("log_every", 1, kMostSteps);
  options.quiet = line.on("quiet");
  return options;
}

}  // namespace

const char* name(StrategyChoice strategy) { return kStrategies.at(static_cast<std::size_t>(strategy)).c_str(); }
const char* name(OverlapChoice overlap) { return kOverlaps.at(static_cast<std::size_t>(overlap)).c_str(); }

ParsedOptions parse_train_options(std::span<const std::string> args) {
  ParsedOptions parsed;
  if (asks_for_help(args)) {
    parsed.request = ParsedOptions::Request::help;
    return parsed;
  }
  if (asks_for_version(args)) {
    parsed.request = ParsedOptions::Request::version;
    return parsed;
  }
  CommandLine line("train", train_flags(), args);
  parsed.request = request_of(line);
  HParams config_hparams;
  if (line.given("config")) config_hparams = fill_from(read_config(filled_text(line, "config"), train_flags()), line);
  parsed.options = read_options(line);
  parsed.options.config_hparams = std::move(config_hparams);
  check_meaning(line, parsed.options);
  check_output(line, parsed.options);
  return parsed;
}

}  // namespace lockstep
