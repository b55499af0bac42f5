#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace lockstep {

// The purpose of a process of `train`.
enum class Work {
  train,
  evaluate,  // evaluate a saved checkpoint, once
  predict,   // predict with a saved checkpoint
  follow,    // evaluate each checkpoint that a training run saves
  test,      // check that a run would work
};

// A value of --schedule, by T2T's name.
struct ScheduleKind {
  std::string_view name;
  Work work;
  bool evaluates = true;         // training evaluates at all
  bool on_train_data = false;    // following evaluates the split that is trained on
  bool answers_requests = true;  // saves or tidies up when asked to stop; else a signal ends it like any program
  bool obeys = false;            // follows the chief's schedule
  std::string_view help;
};

inline constexpr ScheduleKind kSchedules[] = {
    {.name = "continuous_train_and_eval",
     .work = Work::train,
     .help = "train, and evaluate during the training and at its end"},
    {.name = "train_and_evaluate", .work = Work::train, .help = "the same"},
    {.name = "train", .work = Work::train, .evaluates = false, .help = "train only"},
    {.name = "evaluate",
     .work = Work::evaluate,
     .answers_requests = false,
     .help = "evaluate one checkpoint: --checkpoint_path, else the newest"},
    {.name = "predict", .work = Work::predict, .help = "write what a checkpoint predicts for each sample, or token"},
    {.name = "continuous_eval",
     .work = Work::follow,
     .help = "evaluate each checkpoint of a run, until that run is finished"},
    {.name = "continuous_eval_on_train_data",
     .work = Work::follow,
     .on_train_data = true,
     .help = "the same on the training split"},
    {.name = "test", .work = Work::test, .help = "train and evaluate for a few steps, and leave nothing behind"},
    {.name = "run_std_server",
     .work = Work::train,
     .obeys = true,
     .help = "any rank but the chief: do what the chief's command line says"},
};

// Names of the schedules, as choices of a flag.
inline constexpr auto kScheduleNames = [] {
  std::array<std::string_view, std::size(kSchedules)> names;
  std::ranges::transform(kSchedules, names.begin(), &ScheduleKind::name);
  return names;
}();

// The answer to flags and schedules with which other programs generate text.
inline constexpr std::string_view kNoGeneration =
    "there is no generation of text yet; --schedule=predict scores given sequences (docs/evaluating.md)";

// A schedule or a command that other programs have, and the answer to it.
struct ForeignSchedule {
  std::string_view name;
  std::string_view instead;
};
inline constexpr std::string_view kPredicts =
    "it is --schedule=predict here, which writes what a checkpoint predicts for each sample, or token";
inline constexpr ForeignSchedule kForeignSchedules[] = {
    {"generate", kNoGeneration},
    {"sample", kNoGeneration},
    {"chat", kNoGeneration},
    {"translate", kNoGeneration},
    {"infer", kPredicts},
    {"inference", kPredicts},
    {"eval_only", "it is --schedule=evaluate here"},
    {"resume", "a run with the --output_dir of one that was interrupted resumes by itself; leave it out"},
};

// Returns the answer to a foreign schedule; "" if the name is none of them.
constexpr std::string_view instead_of_schedule(std::string_view name) {
  const auto* const found = std::ranges::find(kForeignSchedules, name, &ForeignSchedule::name);
  if (found != std::end(kForeignSchedules)) return found->instead;
  return name.find("decode") != std::string_view::npos ? kNoGeneration : "";
}

// The schedule of that name. REQUIRES: kSchedules has it.
constexpr const ScheduleKind& schedule_kind(std::string_view name) {
  return *std::ranges::find(kSchedules, name, &ScheduleKind::name);
}

}  // namespace lockstep
