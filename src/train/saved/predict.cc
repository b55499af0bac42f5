#include "train/saved/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <filesystem>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/worker_thread.h"
#include "collective/wait_for_chief.h"
#include "data/batch_buffer.h"
#include "data/prediction_files.h"
#include "data/prediction_text.h"
#include "train/evaluation.h"
#include "train/saved/predict_plan.h"
#include "train/saved/saved_model.h"

namespace lockstep {
namespace {

// The predictions of a rank's samples of a round.
struct Portion {
  PredictPlan::Run run{};
  std::vector<std::int32_t> classes{};
  std::vector<float> values{};
  std::string lines{};

  void make_room(const PredictPlan::Run& of, const PredictionForm& form) {
    run = of;
    values.resize(static_cast<std::size_t>(run.count * form.outputs));
    if (form.classes()) classes.resize(static_cast<std::size_t>(run.count));
  }
  PredictionRows rows() const { return {.first = run.first, .classes = classes, .values = values}; }
};

// What ranks tell each other between two rounds.
struct RoundReport {
  std::int64_t line_bytes = 0;
  std::int32_t failed = 0;
  std::int32_t asked_to_stop = 0;
  std::int32_t signal = 0;  // that asked; 0: none did
};

class Predictor {
 public:
  Predictor(SavedModel& saved, const OpenedSplit& on, const TrainSettings& asked, const TrainingRank& rank);

  ScheduleEnd run();

 private:
  void open_files();
  void compute(const PredictPlan::Run& run, Portion& portion);
  void check_finite(const PredictPlan::Run& chunk, std::span<const float> values) const;
  RoundReport report(const Portion& portion, bool failed) const;
  void collect(std::int64_t round, const std::shared_ptr<Portion>& mine, std::span<const RoundReport> reports);
  void on_chief(std::function<void()> work);
  void wait_for_files();
  void remove_files();
  void show_progress(std::int64_t round);
  ScheduleEnd stopped(std::span<const RoundReport> reports);
  ScheduleEnd finished();

  SavedModel& saved_;
  const OpenedSplit& on_;
  const std::string& folder_;
  const TrainingRank& rank_;
  Communicator& ranks_;
  PredictionForm form_;
  PredictPlan plan_;
  HostAllocator host_;
  BatchBuffer buffer_;
  std::vector<std::int64_t> ids_;
  Stopwatch watch_;
  double shown_at_ = 0;

  // This rank's, of the round that is computed, and of the one before, which the chief's thread writes.
  std::array<std::shared_ptr<Portion>, 2> mine_{std::make_shared<Portion>(), std::make_shared<Portion>()};

  // The chief's. The thread may outlive this object while a disk does not answer, and shares with it what it works on.
  std::shared_ptr<std::vector<Portion>> theirs_;  // of the ranks after it, of the round that is written
  std::shared_ptr<std::unique_ptr<PredictionFiles>> files_ = std::make_shared<std::unique_ptr<PredictionFiles>>();
  WorkerThread thread_;
  std::uint64_t working_ = 0;  // the thread's last work
};

PredictionForm form_of(const SavedModel& saved, const OpenedSplit& on) {
  return {.target = saved.shape().target, .samples = on.problem->count(on.split), .outputs = saved.shape().outputs};
}

Predictor::Predictor(SavedModel& saved, const OpenedSplit& on, const TrainSettings& asked, const TrainingRank& rank)
    : saved_(saved),
      on_(on),
      folder_(asked.output_dir),
      rank_(rank),
      ranks_(rank.compute),
      form_(form_of(saved, on)),
      plan_({.samples = form_.samples,
             .chunk = evaluation_chunk(saved.shape()),
             .input_elements = saved.shape().input.elements(),
             .outputs = form_.outputs,
             .ranks = ranks_.size()}),
      buffer_(on.problem->shape(), std::min(plan_.chunk(), form_.samples), host_),
      theirs_(
          std::make_shared<std::vector<Portion>>(static_cast<std::size_t>(rank.is_chief() ? ranks_.size() - 1 : 0))) {}

// Adds work to what the thread does. Only the chief's does any.
void Predictor::on_chief(std::function<void()> work) {
  if (rank_.is_chief()) working_ = thread_.add(std::move(work));
}

// However long the disk takes. COLLECTIVE.
void Predictor::wait_for_files() {
  const auto phase = rank_.trace.enter(Phase::write);
  wait_for_chief(ranks_, [this](std::chrono::milliseconds patience) { return thread_.wait_for(working_, patience); });
}

void Predictor::open_files() {
  const PredictionOrigin origin{.problem = saved_.settings().problem,
                                .split = name(on_.split),
                                .model = saved_.settings().model,
                                .step = saved_.checkpoint().header.step,
                                .checkpoint = std::filesystem::path(saved_.checkpoint().file).filename().string(),
                                .weights = saved_.kind_of_weights()};
  on_chief([files = files_, folder = folder_, form = form_, origin] {
    *files = std::make_unique<PredictionFiles>(folder, form, origin);
  });
  wait_for_files();
}

void Predictor::check_finite(const PredictPlan::Run& chunk, std::span<const float> values) const {
  const auto odd = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
  if (odd == values.end()) return;
  throw Error(
      ExitCode::internal,
      fmt::format("'{}' predicts {} for sample {} (counted from 0) of the {} split: its parameters are no good, "
                  "or the inputs are far from those it was trained on; try an earlier checkpoint",
                  saved_.checkpoint().file, *odd, chunk.first + (odd - values.begin()) / form_.outputs,
                  name(on_.split)));
}

void Predictor::compute(const PredictPlan::Run& run, Portion& portion) {
  const auto phase = rank_.trace.enter(Phase::evaluate);
  portion.make_room(run, form_);
  Pass pass{.backend = rank_.backend, .parameters = saved_.parameters(), .mode = Pass::Mode::evaluate};
  for (std::int64_t done = 0; done < run.count; done += plan_.chunk()) {
    const PredictPlan::Run chunk{.first = run.first + done, .count = std::min(plan_.chunk(), run.count - done)};
    ids_.resize(static_cast<std::size_t>(chunk.count));
    std::iota(ids_.begin(), ids_.end(), chunk.first);
    buffer_.fill(*on_.problem, on_.split, ids_);
    const std::span values = std::span(portion.values)
                                 .subspan(static_cast<std::size_t>(done * form_.outputs),
                                          static_cast<std::size_t>(chunk.count * form_.outputs));
    const std::span classes =
        form_.classes()
            ? std::span(portion.classes).subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(chunk.count))
            : std::span<std::int32_t>();
    saved_.model().predict(buffer_.batch(), pass, values, classes);
    check_finite(chunk, values);
  }
  portion.lines.clear();
  append_predictions(form_, portion.rows(), portion.lines);
}

RoundReport Predictor::report(const Portion& portion, bool failed) const {
  const StopSource& stop = rank_.stop;
  const bool asked = stop.requested != nullptr && stop.requested->load();
  return {.line_bytes = std::ssize(portion.lines),
          .failed = failed ? 1 : 0,
          .asked_to_stop = asked ? 1 : 0,
          .signal = asked && stop.signal ? stop.signal() : 0};
}

// Sends what was predicted in a round to the chief, whose thread writes it while the next round is computed. REQUIRES:
// the round before is written. COLLECTIVE.
void Predictor::collect(std::int64_t round, const std::shared_ptr<Portion>& mine,
                        std::span<const RoundReport> reports) {
  std::vector<SendPiece> sends;
  std::vector<ReceivePiece> receives;
  int from = 0;
  for (Portion& portion : *theirs_) {
    ++from;
    portion.make_room(plan_.run(round, from), form_);
    portion.lines.resize(static_cast<std::size_t>(reports[static_cast<std::size_t>(from)].line_bytes));
    if (portion.run.count == 0) continue;
    receives.push_back({.from = from, .bytes = std::as_writable_bytes(std::span(portion.classes))});
    receives.push_back({.from = from, .bytes = std::as_writable_bytes(std::span(portion.values))});
    receives.push_back({.from = from, .bytes = std::as_writable_bytes(std::span(portion.lines))});
  }
  if (!rank_.is_chief() && mine->run.count > 0) {
    sends.push_back({.to = 0, .bytes = std::as_bytes(std::span(mine->classes))});
    sends.push_back({.to = 0, .bytes = std::as_bytes(std::span(mine->values))});
    sends.push_back({.to = 0, .bytes = std::as_bytes(std::span(mine->lines))});
  }
  ranks_.exchange(sends, receives);
  on_chief([files = files_, mine, theirs = theirs_] {
    (*files)->put(mine->rows(), mine->lines);
    for (const Portion& one : *theirs) {
      if (one.run.count > 0) (*files)->put(one.rows(), one.lines);
    }
  });
}

// On every rank, so that none leaves before it is done. COLLECTIVE.
void Predictor::remove_files() {
  on_chief([files = files_] { files->reset(); });
  wait_for_files();
}

ScheduleEnd Predictor::stopped(std::span<const RoundReport> reports) {
  remove_files();
  const auto asked = std::ranges::find(reports, 1, &RoundReport::asked_to_stop);
  rank_.log.result("asked to stop: nothing is predicted, what was written is removed");
  return {.code = asked->signal == 0 ? ExitCode::done : ended_by_signal(asked->signal), .stopped = true};
}

void Predictor::show_progress(std::int64_t round) {
  constexpr double kEvery = 10;  // seconds
  if (watch_.seconds() < shown_at_ + kEvery) return;
  shown_at_ = watch_.seconds();
  const PredictPlan::Run last = plan_.run(round, ranks_.size() - 1);
  const std::int64_t done = last.first + last.count;
  rank_.log.info("{} of {} samples predicted, {:.0f} samples/s", done, form_.samples,
                 static_cast<double>(done) / shown_at_);
}

ScheduleEnd Predictor::finished() {
  on_chief([files = files_] { (*files)->publish(); });
  wait_for_files();
  if (!rank_.is_chief()) return {};
  const PredictionFiles& files = **files_;
  const double seconds = watch_.seconds();
  rank_.log.result("{} samples predicted in {:.1f} s, {:.0f} samples/s: they are in {} and {}", form_.samples, seconds,
                   static_cast<double>(form_.samples) / seconds, files.hdf5_path(), files.csv_path());
  const Json answer(Json::Object{{"kind", "predict"},
                                 {"step", saved_.checkpoint().header.step},
                                 {"split", name(on_.split)},
                                 {"samples", form_.samples},
                                 {"seconds", seconds},
                                 {"hdf5", files.hdf5_path()},
                                 {"csv", files.csv_path()},
                                 {"checkpoint", std::filesystem::path(saved_.checkpoint().file).filename().string()},
                                 {"weights", saved_.kind_of_weights()}});
  return {.answer = answer.text(Json::Form::readable) + "\n"};
}

ScheduleEnd Predictor::run() {
  open_files();
  for (std::int64_t round = 0; round < plan_.rounds(); ++round) {
    const std::shared_ptr<Portion>& mine = mine_[static_cast<std::size_t>(round % 2)];
    std::exception_ptr failure;
    try {
      compute(plan_.run(round, ranks_.rank()), *mine);
    } catch (...) {
      failure = std::current_exception();
    }
    wait_for_files();  // of the round before
    const std::vector<RoundReport> reports = all_gather_value(ranks_, report(*mine, failure != nullptr));
    if (std::ranges::find(reports, 1, &RoundReport::failed) != reports.end()) {
      remove_files();
      if (failure) std::rethrow_exception(failure);
      remove_files();  // until the rank that failed has ended the job
    }
    if (std::ranges::find(reports, 1, &RoundReport::asked_to_stop) != reports.end()) return stopped(reports);
    collect(round, mine, reports);
    show_progress(round);
  }
  return finished();
}

void check_output(const TrainSettings& settings, const TrainingRank& rank) {
  if (!rank.is_chief()) return;
  PredictionFiles::check_folder(settings.output_dir, settings.overwrite ? PredictionFiles::Existing::replaced
                                                                        : PredictionFiles::Existing::refused);
}

}  // namespace

ScheduleEnd run_predict(const TrainSettings& settings, const Registry& registry, const TrainingRank& rank) {
  check_output(settings, rank);
  SavedModel saved(settings, registry, rank, open_saved(settings, rank));
  check_has_rows(saved, "--schedule=predict");
  const OpenedSplit on = open_eval_split(saved, SavedModel::Targets::not_needed);
  rank.log.info("predicting with {}", describe(saved, on));
  return Predictor(saved, on, settings, rank).run();
}

}  // namespace lockstep
