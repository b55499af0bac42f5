#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace lockstep {

// What a process of `train` is there for.
enum class Work {
  train,
  evaluate,  // a saved checkpoint, once
  predict,   // with a saved checkpoint
  follow,    // evaluate each checkpoint that a training run saves
  test,      // whether a run would work
};

// What --schedule takes, by T2T's names.
struct ScheduleKind {
  std::string_view name;
  Work work;
  bool evaluates = true;         // of training: at all
  bool on_train_data = false;    // of following: on the split that is trained on
  bool answers_requests = true;  // to stop: it saves or tidies up first. Else a signal ends it as it ends any program
  bool obeys = false;            // the chief: its schedule is what is done
  std::string_view help;
};

inline constexpr ScheduleKind kSchedules[] = {
    {.name = "continuous_train_and_eval", .work = Work::train, .help = "train, and evaluate on the way and at the end"},
    {.name = "train_and_evaluate", .work = Work::train, .help = "the same"},
    {.name = "train", .work = Work::train, .evaluates = false, .help = "train only"},
    {.name = "evaluate",
     .work = Work::evaluate,
     .answers_requests = false,
     .help = "evaluate a checkpoint, the newest of --output_dir"},
    {.name = "predict", .work = Work::predict, .help = "write what a checkpoint predicts for each sample, or token"},
    {.name = "continuous_eval",
     .work = Work::follow,
     .help = "evaluate each checkpoint that a run saves, until it is finished"},
    {.name = "continuous_eval_on_train_data",
     .work = Work::follow,
     .on_train_data = true,
     .help = "the same on the training split"},
    {.name = "test", .work = Work::test, .help = "train and evaluate for a few steps, and leave nothing behind"},
    {.name = "run_std_server",
     .work = Work::train,
     .obeys = true,
     .help = "of one rank among others: what the chief's command line says"},
};

// Their names, as choices of a flag.
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

// "" if it is none of them.
constexpr std::string_view instead_of_schedule(std::string_view name) {
  const auto* const found = std::ranges::find(kForeignSchedules, name, &ForeignSchedule::name);
  if (found != std::end(kForeignSchedules)) return found->instead;
  return name.find("decode") != std::string_view::npos ? kNoGeneration : "";
}

// REQUIRES: one of these names.
constexpr const ScheduleKind& schedule_kind(std::string_view name) {
  return *std::ranges::find(kSchedules, name, &ScheduleKind::name);
}

}  // namespace lockstep
