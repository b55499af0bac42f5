#include "train/schedule/evaluate/follow.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/printable.h"
#include "collective/watch/wait_for_chief.h"
#include "train/config/agreement.h"
#include "train/config/pace.h"
#include "train/output/events/event_file.h"
#include "train/output/metrics.h"
#include "train/output/output_folder.h"
#include "train/schedule/evaluate/checkpoint_watch.h"
#include "train/schedule/evaluate/evaluate.h"
#include "train/schedule/evaluate/evaluation_record.h"

namespace lockstep {
namespace {

// The evaluator's next action.
enum class Next : std::int32_t { evaluate, finished, ended, no_new_one, time_is_up, stopped };

std::string why(Next next, const TrainSettings& settings) {
  switch (next) {
    case Next::finished:
      return "the training has finished";
    case Next::ended:
      return "the training has ended";
    case Next::no_new_one:
      return fmt::format("there was no new one for --eval_timeout_mins={}", settings.eval_timeout_mins);
    case Next::time_is_up:
      return "the time of --stop_after is up; run the same command again to continue";
    case Next::stopped:
      return "asked to stop";
    case Next::evaluate:
      break;
  }
  return {};
}

std::string patience(const TrainSettings& settings) {
  if (settings.eval_timeout_mins < 0) return "";
  return fmt::format(", up to {} (--eval_timeout_mins)", counted(settings.eval_timeout_mins, "minute"));
}

// A warning: "3 checkpoints were removed before their turn: steps 20, 30, 40".
std::string describe_missed(const std::vector<std::int64_t>& steps) {
  constexpr std::size_t kShown = 8;
  if (steps.size() == 1) return fmt::format("a checkpoint was removed before its turn: step {}", steps.front());
  const bool all = steps.size() <= kShown;
  return fmt::format("{} checkpoints were removed before their turn: steps {}{}", steps.size(),
                     fmt::join(steps.begin(), all ? steps.end() : steps.begin() + 2, ", "),
                     all ? "" : fmt::format(", ..., {}", steps.back()));
}

class Follower {
 public:
  Follower(const TrainSettings& settings, const Registry& registry, const TrainingRank& rank);

  ScheduleEnd run();

 private:
  Next wait();
  bool look(std::chrono::milliseconds patience);
  void evaluate(OpenedCheckpoint checkpoint);
  EvaluationRecord::Key key_of(std::int64_t step, std::uint64_t checksum) const;
  void warn_of_fewer_samples();
  void note_missed();
  void write(Json::Object members);
  void open_events();
  std::string metrics_path() const;
  void open_metrics();  // with the recorded lines
  bool time_is_up() const;

  const TrainSettings& settings_;
  const Registry& registry_;
  const TrainingRank& rank_;
  OutputFolder output_;  // OUTPUT_DIR/eval
  EvaluationRecord record_{};
  std::unique_ptr<MetricsFile> metrics_{};
  std::unique_ptr<EventFile> events_{};
  std::unique_ptr<CheckpointWatch> watch_{};    // the chief's
  std::unique_ptr<CheckpointDecoder> found_{};  // the chief's
  std::unique_ptr<SavedModel> saved_{};         // the present model; made anew if more than the weights changes
  OpenedSplit on_{};
  std::int64_t samples_ = 0;        // samples of the split that are evaluated
  double wall_seconds_before_ = 0;  // seconds of earlier evaluators
  Stopwatch since_start_;
  Stopwatch since_last_;           // since the last evaluation
  double longest_evaluation_ = 0;  // seconds
  std::int64_t evaluated_ = 0;
  std::int64_t missed_ = 0;
  bool warned_of_fewer_ = false;
  Next next_ = Next::evaluate;
};

bool on_train_data(const TrainSettings& settings) { return schedule_kind(settings.schedule).on_train_data; }

TrainSettings settings_of_folder(TrainSettings settings) {
  settings.output_dir = evaluator_folder(settings);
  return settings;
}

Follower::Follower(const TrainSettings& settings, const Registry& registry, const TrainingRank& rank)
    : settings_(settings),
      registry_(registry),
      rank_(rank),
      output_(open_output_folder(settings_of_folder(settings), rank)) {
  if (!rank.is_chief()) return;
  FormerMetrics former = read_former_metrics(metrics_path());
  record_ = EvaluationRecord(former.text);
  if (record_.foreign()) {
    former.strange = fmt::format("{} has lines that no evaluator has written", in_quotes(metrics_path()));
  }
  if (!former.strange.empty()) set_metrics_aside(metrics_path(), former.strange, output_, rank.log);
  wall_seconds_before_ = record_.wall_seconds();
  open_metrics();
  // The first checkpoint decides the split and the weights.
  const auto wanted = [this](std::int64_t step, std::uint64_t checksum) {
    return !saved_ || !record_.has(key_of(step, checksum));
  };
  watch_ = std::make_unique<CheckpointWatch>(settings.output_dir, rank.log, wanted);
}

// REQUIRES: saved_.
EvaluationRecord::Key Follower::key_of(std::int64_t step, std::uint64_t checksum) const {
  return {.step = step,
          .checksum = checksum_text(checksum),
          .split = name(on_.split),
          .weights = saved_->kind_of_weights(),
          .samples = samples_};
}

std::string Follower::metrics_path() const { return (std::filesystem::path(output_.path) / kMetricsFile).string(); }

void Follower::open_metrics() { metrics_ = open_metrics_file(metrics_path(), record_.text(), output_, rank_.log); }

bool Follower::time_is_up() const {
  if (!settings_.stop_after) return false;
  constexpr double kMargin = 2;  // seconds to end in
  const auto limit = static_cast<double>(settings_.stop_after->count());
  return rank_.stop.since_start.seconds() + 1.5 * longest_evaluation_ + kMargin > limit;
}

// The chief's look at the folder.
bool Follower::look(std::chrono::milliseconds patience) {
  const double silence_s = 60 * static_cast<double>(settings_.eval_timeout_mins);
  const auto ends_with = [this](Next next) {
    next_ = next;
    return true;
  };
  if (output_.lease->lost()) output_.lease->check();
  if (time_is_up()) return ends_with(Next::time_is_up);
  if (rank_.stop.training_asked_to_stop && rank_.stop.training_asked_to_stop()) return ends_with(Next::stopped);
  const bool ended = rank_.stop.training_ended && rank_.stop.training_ended();  // read before what it has saved
  found_ = watch_->next();
  if (found_ != nullptr) return ends_with(Next::evaluate);
  if (watch_->finished()) return ends_with(Next::finished);
  if (ended) return ends_with(Next::ended);
  if (silence_s >= 0 && since_last_.seconds() > silence_s) return ends_with(Next::no_new_one);
  std::this_thread::sleep_for(patience);
  return false;
}

Next Follower::wait() {
  const auto phase = rank_.trace.enter(Phase::read);
  bool asked = false;  // the first exchange is for requests to stop alone, which come before more work
  const bool done = wait_for_chief(
      rank_.world, [&](std::chrono::milliseconds patience) { return std::exchange(asked, true) && look(patience); },
      rank_.stop.requested);
  if (!done) return Next::stopped;
  broadcast_value(rank_.world, next_, 0);
  return next_;
}

void Follower::evaluate(OpenedCheckpoint checkpoint) {
  const Stopwatch watch;
  if (saved_ && saved_->differs_in_weights_alone(checkpoint)) {
    saved_->load(std::move(checkpoint));
  } else {
    saved_ = std::make_unique<SavedModel>(settings_, registry_, rank_, std::move(checkpoint));
    on_ = on_train_data(settings_) ? OpenedSplit{Split::train, saved_->open_split(Split::train)}
                                   : open_eval_split(*saved_);
    samples_ = evaluated_samples(saved_->settings(), saved_->hparams(), *on_.problem, on_.split);
  }
  const OpenedCheckpoint& now = saved_->checkpoint();
  bool again = metrics_ && record_.has(key_of(now.header.step, now.checksum));  // the first one after a restart
  broadcast_value(rank_.world, again, 0);
  if (metrics_) note_missed();  // first, as they are of earlier steps
  if (again) return;
  if (metrics_) warn_of_fewer_samples();
  const EvaluationResult result = evaluate_saved(*saved_, on_, rank_);
  log_evaluation(*saved_, on_.split, result, rank_.log);
  longest_evaluation_ = std::max(longest_evaluation_, watch.seconds());
  ++evaluated_;
  if (metrics_) write(evaluation_line(*saved_, on_.split, result));
  since_last_.restart();
}

// Warns if a short evaluation (--eval_steps) replaces lines of whole ones. REQUIRES: saved_.
void Follower::warn_of_fewer_samples() {
  const std::int64_t before =
      record_.samples(saved_->checkpoint().header.step, name(on_.split), saved_->kind_of_weights());
  if (before <= samples_ || std::exchange(warned_of_fewer_, true)) return;
  rank_.log.warning(
      "evaluations of {} samples in {} are replaced by those of {}, as --eval_steps says; without it all are evaluated",
      before, escaped(metrics_path()), samples_);
}

// Reports checkpoints that the run has removed before their turn, each once, also over several starts. REQUIRES:
// saved_.
void Follower::note_missed() {
  std::vector<std::int64_t> steps = watch_->removed();
  const char* const split = name(on_.split);
  const std::string weights = saved_->kind_of_weights();
  std::erase_if(steps, [&](std::int64_t step) { return record_.knows(step, split, weights); });
  if (steps.empty()) return;
  rank_.log.warning(
      "{}; to have all of them evaluated, let the run keep more (--keep_checkpoint_max) or save less often",
      describe_missed(steps));
  for (const std::int64_t step : steps) {
    write({{"kind", "event"}, {"step", step}, {"event", "missed"}, {"split", split}, {"weights", weights}});
  }
  missed_ += std::ssize(steps);
}

void Follower::write(Json::Object members) {
  const auto phase = rank_.trace.enter(Phase::write);
  output_.lease->check();
  members.insert(members.begin() + 2, {"wall_seconds", Json(wall_seconds_before_ + since_start_.seconds())});
  const Json line(std::move(members));
  // The result of a checkpoint that was written again replaces that of the former one.
  if (record_.add(line.text(Json::Form::readable))) {
    open_metrics();
    events_.reset();
  } else {
    metrics_->write(line);
  }
  if (events_ == nullptr) {
    open_events();
  } else {
    events_->write(line);
  }
}

// Writes everything recorded to a new file, in place of the files of earlier starts: a kill may have lost some of it
// there.
void Follower::open_events() {
  events_ = std::make_unique<EventFile>(output_.path, 0);
  for (const std::string& line : record_.lines()) events_->write(parse_json(line));
}

ScheduleEnd Follower::run() {
  rank_.log.info("evaluating the checkpoints that are saved in {}", settings_.output_dir);
  if (watch_ != nullptr && !watch_->begun()) rank_.log.info("there are none yet: waiting{}", patience(settings_));
  Next next = wait();
  for (; next == Next::evaluate; next = wait()) {
    OpenedCheckpoint checkpoint;
    share_checkpoint(rank_.world, std::move(found_), checkpoint);
    evaluate(std::move(checkpoint));
  }
  if (metrics_ && saved_) note_missed();
  if (metrics_) metrics_->stay_in_place();
  const auto and_missed = [](std::int64_t missed) { return missed > 0 ? fmt::format(", {} missed", missed) : ""; };
  rank_.log.result("{} evaluated{}: {}", counted(evaluated_, "checkpoint"), and_missed(missed_), why(next, settings_));
  if (metrics_) {
    rank_.log.info("{}{}, in {}", counted(record_.evaluated(), "evaluation"), and_missed(record_.missed()),
                   escaped(metrics_path()));
  }
  if (output_.lease) output_.lease->release();
  const bool again = next == Next::time_is_up;
  return {.code = again ? ExitCode::stopped : ExitCode::done, .stopped = again || next == Next::stopped};
}

}  // namespace

std::string evaluator_folder(const TrainSettings& settings) {
  return (std::filesystem::path(settings.output_dir) / (on_train_data(settings) ? "eval_train" : "eval")).string();
}

ScheduleEnd run_follow(const TrainSettings& settings, const Registry& registry, const TrainingRank& rank) {
  check_agreement(rank.world, job_items(settings, {}));
  return Follower(settings, registry, rank).run();
}

}  // namespace lockstep
