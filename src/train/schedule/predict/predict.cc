#include "train/schedule/predict/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/worker_thread.h"
#include "collective/watch/wait_for_chief.h"
#include "data/predictions/prediction_files.h"
#include "data/predictions/prediction_text.h"
#include "data/sequences/symbol_texts.h"
#include "train/evaluation/evaluation.h"
#include "train/saved/saved_model.h"
#include "train/schedule/predict/chunk_predictor.h"
#include "train/schedule/predict/predict_plan.h"
#include "train/schedule/predict/predict_portion.h"

namespace lockstep {
namespace {

// A rank's report to the others between two rounds.
struct RoundReport {
  std::int64_t rows = 0;
  std::int64_t line_bytes = 0;
  std::int32_t failed = 0;
  std::int32_t asked_to_stop = 0;
  std::int32_t signal = 0;  // signal that asked to stop; 0: none did
};

class Predictor {
 public:
  Predictor(SavedModel& saved, const OpenedSplit& on, const PredictionForm& form, const SymbolTexts& symbols,
            const TrainSettings& asked, const TrainingRank& rank);

  ScheduleEnd run();

 private:
  void open_files();
  void compute(std::int64_t round, PredictPortion& portion);
  RoundReport report(const PredictPortion& portion, bool failed) const;
  void collect(std::int64_t round, const std::shared_ptr<PredictPortion>& mine, std::span<const RoundReport> reports);
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
  const SymbolTexts& symbols_;
  std::vector<std::string> fields_;  // text_fields(symbols_)
  PredictPlan plan_;
  ChunkPredictor chunks_;
  Stopwatch watch_;
  double shown_at_ = 0;

  // This rank's portions: of the round that is computed, and of the one before, which the chief's thread writes.
  std::array<std::shared_ptr<PredictPortion>, 2> mine_{std::make_shared<PredictPortion>(),
                                                       std::make_shared<PredictPortion>()};

  // The chief's. The thread may outlive this object while a disk does not answer, so its data are shared with it.
  std::shared_ptr<std::vector<PredictPortion>> theirs_;  // portions of the other ranks, of the round that is written
  std::shared_ptr<std::unique_ptr<PredictionFiles>> files_ = std::make_shared<std::unique_ptr<PredictionFiles>>();
  WorkerThread thread_;
  std::uint64_t working_ = 0;  // the thread's last work
};

void check_top(const PredictionForm& form) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ExitCode::configuration, fmt::format("--predict_top={}: {}", form.top, why), Scope::every_rank);
  };
  if (form.top > 0 && !form.classes()) refuse("this model predicts numbers, not classes; leave it out");
  if (form.top > form.outputs) {
    refuse(fmt::format("this model predicts one of {} {}; give at most so many", form.outputs,
                       form.sequences ? "symbols" : "classes"));
  }
}

PredictionForm form_of(const SavedModel& saved, const OpenedSplit& on, const SymbolTexts& symbols,
                       const TrainSettings& asked) {
  PredictionForm form{.target = saved.shape().target,
                      .samples = on.problem->count(on.split),
                      .outputs = saved.shape().outputs,
                      .sequences = saved.shape().has_sequences(),
                      .top = asked.predict_top.value_or(0),
                      .texts = !symbols.empty()};
  check_top(form);
  if (!form.sequences) return form;
  for (std::int64_t i = 0; i < form.samples; ++i) form.symbols += on.problem->lengths(on.split, i).targets;
  return form;
}

// The amount and the speed in words: "1000 samples", or "1000 samples, 9521 tokens"; "350 samples/s".
std::string what_of(const PredictionForm& form) {
  return fmt::format("{} samples{}", form.samples, form.sequences ? fmt::format(", {} tokens", form.symbols) : "");
}
std::string speed_of(const PredictionForm& form, double seconds) {
  return fmt::format("{:.0f} {}/s", static_cast<double>(form.rows()) / seconds, form.sequences ? "tokens" : "samples");
}

// Sequences are computed in chunks of about as many symbols, a chunk per rank and round.
PredictPlan plan_of(const PredictionForm& form, const OpenedSplit& on, int ranks) {
  if (form.sequences) return {evaluation_chunks(*on.problem, on.split, form.samples), ranks};
  const ProblemShape shape = on.problem->shape();
  return PredictPlan({.samples = form.samples,
                      .chunk = evaluation_chunk(shape),
                      .input_elements = shape.input.elements(),
                      .outputs = form.outputs,
                      .ranks = ranks});
}

Predictor::Predictor(SavedModel& saved, const OpenedSplit& on, const PredictionForm& form, const SymbolTexts& symbols,
                     const TrainSettings& asked, const TrainingRank& rank)
    : saved_(saved),
      on_(on),
      folder_(asked.output_dir),
      rank_(rank),
      ranks_(rank.compute),
      form_(form),
      symbols_(symbols),
      fields_(text_fields(symbols)),
      plan_(plan_of(form_, on, ranks_.size())),
      chunks_(saved, on, form_, evaluation_chunk(saved.shape()), rank.backend),
      theirs_(std::make_shared<std::vector<PredictPortion>>(
          static_cast<std::size_t>(rank.is_chief() ? ranks_.size() - 1 : 0))) {}

// Adds work to the thread's queue, on the chief only.
void Predictor::on_chief(std::function<void()> work) {
  if (rank_.is_chief()) working_ = thread_.add(std::move(work));
}

// Waits for the thread's work, however long the disk takes. COLLECTIVE.
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
  on_chief([files = files_, folder = folder_, form = form_, origin, symbols = symbols_] {
    *files = std::make_unique<PredictionFiles>(folder, form, origin, symbols);
  });
  wait_for_files();
}

void Predictor::compute(std::int64_t round, PredictPortion& portion) {
  const auto phase = rank_.trace.enter(Phase::evaluate);
  const int mine = ranks_.rank();
  portion.make_room({}, 0, 0, form_);
  portion.run = plan_.run(round, mine);
  std::int64_t number = 0;
  for (auto chunk = plan_.chunk(round, mine, 0); chunk.count > 0; chunk = plan_.chunk(round, mine, ++number)) {
    chunks_.append(chunk, portion);
  }
  append_predictions(form_, portion.rows(), portion.lines, fields_);
}

RoundReport Predictor::report(const PredictPortion& portion, bool failed) const {
  const StopSource& stop = rank_.stop;
  const bool asked = stop.requested != nullptr && stop.requested->load();
  return {.rows = std::ssize(portion.values) / form_.values_of_row(),
          .line_bytes = std::ssize(portion.lines),
          .failed = failed ? 1 : 0,
          .asked_to_stop = asked ? 1 : 0,
          .signal = asked && stop.signal ? stop.signal() : 0};
}

// Sends the predictions of a round to the chief, whose thread writes them while the next round is computed. REQUIRES:
// the round before is written. COLLECTIVE.
void Predictor::collect(std::int64_t round, const std::shared_ptr<PredictPortion>& mine,
                        std::span<const RoundReport> reports) {
  std::vector<SendPiece> sends;
  std::vector<ReceivePiece> receives;
  int from = 0;
  for (PredictPortion& portion : *theirs_) {
    const RoundReport& report = reports[static_cast<std::size_t>(++from)];
    portion.make_room(plan_.run(round, from), report.rows, report.line_bytes, form_);
    if (portion.run.count == 0) continue;
    for (const std::span<std::byte> piece : portion.pieces()) receives.push_back({.from = from, .bytes = piece});
  }
  if (!rank_.is_chief() && mine->run.count > 0) {
    for (const std::span<std::byte> piece : mine->pieces()) sends.push_back({.to = 0, .bytes = piece});
  }
  ranks_.exchange(sends, receives);
  on_chief([files = files_, mine, theirs = theirs_] {
    (*files)->put(mine->rows(), mine->lines);
    for (const PredictPortion& one : *theirs) {
      if (one.run.count > 0) (*files)->put(one.rows(), one.lines);
    }
  });
}

// Removes the files. Every rank waits, so that none leaves before that is done. COLLECTIVE.
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
  rank_.log.result("{} predicted in {:.1f} s, {}: they are in {} and {}", what_of(form_), seconds,
                   speed_of(form_, seconds), files.hdf5_path(), files.csv_path());
  Json::Object answer{{"kind", "predict"},
                      {"step", saved_.checkpoint().header.step},
                      {"split", name(on_.split)},
                      {"samples", form_.samples}};
  if (form_.sequences) answer.emplace_back("tokens", form_.symbols);
  answer.insert(answer.end(), {{"seconds", seconds},
                               {"hdf5", files.hdf5_path()},
                               {"csv", files.csv_path()},
                               {"checkpoint", std::filesystem::path(saved_.checkpoint().file).filename().string()},
                               {"weights", saved_.kind_of_weights()}});
  return {.answer = Json(std::move(answer)).text(Json::Form::readable) + "\n"};
}

ScheduleEnd Predictor::run() {
  open_files();
  for (std::int64_t round = 0; round < plan_.rounds(); ++round) {
    const std::shared_ptr<PredictPortion>& mine = mine_[static_cast<std::size_t>(round % 2)];
    std::exception_ptr failure;
    try {
      compute(round, *mine);
    } catch (...) {
      failure = std::current_exception();
    }
    wait_for_files();  // those of the round before
    const std::vector<RoundReport> reports = all_gather_value(ranks_, report(*mine, failure != nullptr));
    if (std::ranges::find(reports, 1, &RoundReport::failed) != reports.end()) {
      remove_files();
      if (failure) std::rethrow_exception(failure);
      remove_files();  // waits until the rank that failed has ended the job
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
  const OpenedSplit on = open_eval_split(saved, SavedModel::Targets::not_needed);
  const SymbolTexts symbols = symbol_texts(saved.tokenizer().get());
  const PredictionForm form = form_of(saved, on, symbols, settings);
  rank.log.info("predicting with {}", describe(saved, on));
  return Predictor(saved, on, form, symbols, settings, rank).run();
}

}  // namespace lockstep
