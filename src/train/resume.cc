#include "train/resume.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/json.h"
#include "base/printable.h"
#include "checkpoint/format.h"
#include "checkpoint/seal.h"
#include "checkpoint/shape_json.h"
#include "train/saved/saved_vocabulary.h"

namespace lockstep {
namespace {

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// The newest undamaged candidate, if there is one.
std::optional<std::string> newest_whole(const CheckpointDirectory& folder,
                                        std::span<const ResumeCandidate> candidates) {
  for (const ResumeCandidate& candidate : candidates) {
    try {
      check_seal(folder.path_of(candidate.step));
      return name_of(folder.path_of(candidate.step));
    } catch (const Error&) {  // also damaged: try the one before it
    }
  }
  return {};
}

// True if no file has this name. An unknown answer (a failing disk) is no reason to take another file.
bool is_gone(const std::string& path) {
  std::error_code why;  // also set if the name does not exist
  return std::filesystem::symlink_status(path, why).type() == std::filesystem::file_type::not_found;
}

std::string cure_by_new_start() {
  return fmt::format("To start from the beginning, give another --output_dir, or move the checkpoints and {} away",
                     kIndexFile);
}

[[noreturn]] void refuse_damaged(const CheckpointDirectory& folder, const Error& why, std::int64_t step,
                                 std::span<const ResumeCandidate> older) {
  const auto whole = newest_whole(folder, older);
  std::string cure = is_gone(folder.path_of(step)) ? fmt::format("{} names it: put it back. ", kIndexFile) : "";
  cure += whole ? fmt::format("The newest whole one before it is {}: to resume from it, add --resume=previous", *whole)
                : "There is no older whole one here. " + cure_by_new_start();
  throw Error(why.code(), fmt::format("{}. {}", why.what(), cure));
}

// The chief's part of find_resumption().
std::unique_ptr<CheckpointDecoder> open_newest(const TrainSettings& settings, Log& log,
                                               const CheckpointDirectory& folder) {
  const std::vector<ResumeCandidate> candidates = folder.candidates();
  std::string newest;  // the error of the newest
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::int64_t step = candidates[i].step;
    try {
      auto reader = std::make_unique<CheckpointDecoder>(folder.path_of(step));
      check_step(*reader, step);
      return reader;
    } catch (const Error& why) {
      const bool gone = why.code() == ExitCode::missing_input && is_gone(folder.path_of(step));
      const bool damaged = why.code() == ExitCode::bad_data || gone;  // other errors of a disk may pass
      if (!damaged) throw;
      if (candidates[i].named && settings.resume != "previous") {
        refuse_damaged(folder, why, step, std::span(candidates).subspan(i + 1));
      }
      if (i == 0) newest = why.what();
      log.warning("{}; it is left out{}", why.what(),
                  candidates[i].named ? "" : fmt::format(", because {} does not point at it", kIndexFile));
    }
  }
  if (!candidates.empty()) {
    throw Error(ExitCode::bad_data, fmt::format("no checkpoint in {} can be used. The newest: {}. {}",
                                                settings.output_dir, newest, cure_by_new_start()));
  }
  return nullptr;
}

SavedConfig read_config(const Resumption& from) {
  try {
    return saved_config(from.header.config);
  } catch (const JsonError& why) {
    throw Error(ExitCode::bad_data,
                fmt::format("'{}': its attribute {} cannot be read: {}", from.file, kConfigAttribute, why.what()),
                Scope::every_rank);
  }
}

// Damage found only now is no reason to take another file without being asked to.
StateArrays read_arrays(const Resumption& from, const StateLayout& layout) {
  try {
    return from.reader->read(layout);
  } catch (const Error& error) {
    if (error.code() != ExitCode::bad_data) throw;
    throw Error(error.code(), fmt::format("{}. Give another --output_dir; or, to resume from an older checkpoint here, "
                                          "move this one and {} away",
                                          error.what(), kIndexFile));
  }
}

// Throws if the training text has changed in a way that changes its vocabulary.
void check_vocabulary(const Resumption& from, const TrainSettings& settings, const ProblemShape& here,
                      const Tokenizer* tokenizer, const Table<TokenizerKind>& kinds) {
  const std::string change = vocabulary_change(from.file, from.header, here, tokenizer, kinds);
  if (change.empty()) return;
  throw Error(ExitCode::configuration,
              fmt::format("'{}' was made with the vocabulary of another text than the training split in --data_dir={}: "
                          "{}. Give the text that it was trained on to continue that run, or another --output_dir to "
                          "start a new one",
                          from.file, settings.data_dir, change),
              Scope::every_rank);
}

}  // namespace

std::optional<Resumption> find_resumption(const TrainSettings& settings, const TrainingRank& rank,
                                          const OutputFolder& output) {
  if (settings.output_dir.empty()) return {};
  const auto phase = rank.trace.enter(Phase::read);
  const Stopwatch watch;
  Resumption from;
  std::unique_ptr<CheckpointDecoder> newest;
  if (rank.is_chief()) newest = open_newest(settings, rank.log, *output.checkpoints);
  if (!share_checkpoint(rank.world, std::move(newest), from)) return {};
  from.config = read_config(from);
  from.seconds = watch.seconds();
  return from;
}

void check_shape(const Resumption& from, const TrainSettings& settings, const ProblemShape& shape,
                 const Tokenizer* tokenizer, const Table<TokenizerKind>& kinds) {
  if (from.header.shape.empty()) return;
  check_vocabulary(from, settings, shape, tokenizer, kinds);
  ProblemShape saved = shape_from_json(from.header.shape);
  saved.normalised = shape.normalised;  // set by an hparam, with variables of its own: both are compared elsewhere
  const bool both_of_texts = !saved.vocabulary_digest.empty() && !shape.vocabulary_digest.empty();
  if (both_of_texts) saved.vocabulary_digest = shape.vocabulary_digest;  // compared above, member by member
  const std::string there = shape_to_json(saved);
  const std::string here = shape_to_json(shape);
  if (there == here) return;
  throw Error(
      ExitCode::configuration,
      fmt::format(
          "'{}' was made on problem {} for inputs and targets of {}, and the training split of --problem={}{} has {}; "
          "give data of that shape to continue that run (--config={}/config.json has its flags), or another "
          "--output_dir to start a new one",
          from.file, escaped(from.header.problem), there, settings.problem,
          settings.data_dir.empty() ? "" : fmt::format(" in --data_dir={}", settings.data_dir), here,
          settings.output_dir),
      Scope::every_rank);
}

Weights weights_of(const Resumption& from, Communicator& world, const ParameterTable& table) {
  std::int32_t fit = from.reader == nullptr || from.reader->has_variables_of(table) ? 1 : 0;  // the chief's counts
  broadcast_value(world, fit, 0);
  return fit != 0 ? Weights::fit : Weights::of_another_model;
}

std::string restore(Resumption& from, const TrainingState& state, bool new_optimizer) {
  // Weights of another program, for example, have no slots.
  std::int32_t no_slots = from.reader && from.reader->slots().empty() && from.replicas == 0 ? 1 : 0;
  broadcast_value(state.compute, no_slots, 0);
  new_optimizer |= no_slots != 0 && !state.replica.slots().empty();
  const int states = state.strategy.replica_states();
  const bool one_by_one = states > 0 && from.replicas == states && !new_optimizer;
  const SavedSlots saved = one_by_one ? SavedSlots::each_replicas_own : SavedSlots::one_state;
  const RestoredParts parts{.slots = new_optimizer ? std::nullopt : std::optional(saved),
                            .average = state.average != nullptr && from.header.ema_updates > 0,
                            .ema_updates = from.header.ema_updates};
  const Stopwatch watch;
  StateArrays arrays;
  if (from.reader) {
    StateLayout layout = layout_of(state);
    if (new_optimizer) layout.slots.clear();
    layout.average = parts.average;
    layout.replicas = one_by_one ? from.replicas : 0;
    arrays = read_arrays(from, layout);
    from.reader.reset();
  }
  restore_state(state, arrays, parts);
  state.replica.begin_optimizer(new_optimizer ? from.header.step : from.header.optimizer_begun);
  from.seconds += watch.seconds();
  if (new_optimizer) {
    return no_slots != 0 ? "the checkpoint holds no state of an optimizer: it begins with zeros"
                         : "the optimizer's state begins with zeros";
  }
  if (from.replicas > 0 && !one_by_one) {
    return fmt::format("each rank begins with the mean of the optimizer states of {} replicas", from.replicas);
  }
  return {};
}

}  // namespace lockstep
