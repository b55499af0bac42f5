// --keep_best and --early_stop in whole runs, undisturbed and interrupted.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "base/input_file.h"
#include "checkpoint/decoder.h"
#include "data/forwarding_problem.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"
#include "train/train_rank.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// A few samples, which a model overfits, so that the loss on the dev split first falls and then rises; the same bits on
// any number of ranks.
class FewShapes final : public ForwardingProblem {
 public:
  using ForwardingProblem::ForwardingProblem;
  std::int64_t count(Split split) const override { return split == Split::test ? 0 : 400; }
};

Registry registry_of_few() {
  Registry registry = builtin_registry();
  registry.problems.add("few_shapes", "few of image_shapes", [](const ProblemOptions& options) {
    return std::make_unique<FewShapes>(builtin_registry().problems.find("image_shapes")(options));
  });
  return registry;
}
const Registry& few() {
  static const Registry registry = registry_of_few();
  return registry;
}

TrainSettings choosing_settings(const std::string& folder) {
  TrainSettings settings = small_settings();
  settings.problem = "few_shapes";
  settings.hparams = "hidden_size=4,optimizer=adam,learning_rate=0.002,dropout=0,learning_rate_schedule=constant";
  settings.global_batch_size = 20;
  settings.train_steps = 3000;
  settings.eval_frequency = 100;
  settings.save_steps = 250;
  settings.log_every = 0;
  settings.exact = true;
  settings.keep_best = "loss";
  settings.early_stop = 2;
  settings.output_dir = folder;
  return settings;
}

// Results of a run: its last step, and its best checkpoint.
struct Chosen {
  std::int64_t step = 0;
  std::string best_json;
  std::vector<float> best_parameters;
  bool operator==(const Chosen&) const = default;
};

std::vector<float> parameters_of(const std::string& file) {
  const auto model = few().models.find("mlp")(resolve_hparams(choosing_settings(""), few()),
                                              FewShapes(few().problems.find("image_shapes")({})).shape());
  return CheckpointDecoder(file).read({.table = &model->table()}).parameters;
}

Chosen chosen_in(const std::string& folder, const TestRun& run) {
  const auto note = BestFolder(folder + "/best").note();
  REQUIRE(note);
  return {.step = run.outcome.step,
          .best_json = read_file(folder + "/best/best.json"),
          .best_parameters = parameters_of(BestFolder(folder + "/best").path_of(*note))};
}

// An undisturbed run, on one rank.
const Chosen& undisturbed() {
  static const Chosen chosen = [] {
    const TemporaryFolder folder;
    return chosen_in(folder.path(), train_alone(choosing_settings(folder.path()), few()));
  }();
  return chosen;
}

std::int64_t best_step(const Chosen& chosen) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "best");
  std::ofstream(folder / "best/best.json") << chosen.best_json;
  return BestFolder(folder / "best").note()->step;
}

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Changes the folder to the state after a kill after this step's evaluation, with the last save after step `saved`.
void kill_after(const std::string& folder, std::int64_t saved) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("model.ckpt-")) continue;
    const std::int64_t step = std::stoll(name.substr(std::string("model.ckpt-").size()));
    if (step > saved) fs::remove(entry.path());
  }
  fs::remove(folder + "/checkpoint.json");
}

}  // namespace

TEST_CASE("the run ends early, as finished, with the best step kept") {
  const TemporaryFolder folder;
  TrainSettings settings = choosing_settings(folder.path());
  settings.keep_checkpoints = 1;  // the best one is kept in spite of this
  const TestRun run = train_alone(settings, few());
  const Chosen chosen = chosen_in(folder.path(), run);
  CHECK(chosen == undisturbed());
  CHECK(run.outcome.step < 3000);
  CHECK(best_step(chosen) > 100);                      // first there was gain,
  CHECK(run.outcome.step == best_step(chosen) + 200);  // then two evaluations without
  CHECK(!run.outcome.stopped);
  CHECK(exit_code_of(run.outcome) == ExitCode::done);
  CHECK(run.outcome.evaluated == Split::dev);
  CHECK(CheckpointDirectory(folder.path()).index()->finished);
  CHECK(CheckpointDirectory(folder.path()).files() == std::vector{run.outcome.step});
  const std::string metrics = read_file(folder / "metrics.jsonl");
  CHECK(count_of("\"ended_early\"", metrics) == 1);
  CHECK(count_of("\"kind\": \"eval\"", metrics) == static_cast<std::size_t>(run.outcome.step / 100));
  CHECK(metrics.find("\"finished\": true") != std::string::npos);

  // If it is started again, nothing is left to do.
  const TestRun again = train_alone(settings, few());
  CHECK(again.outcome.step == run.outcome.step);
  CHECK(again.outcome.parameters_sha256 == run.outcome.parameters_sha256);
  CHECK(again.outcome.evaluation["loss"].mean == run.outcome.evaluation["loss"].mean);
  CHECK(chosen_in(folder.path(), again) == chosen);
  CHECK(CheckpointDirectory(folder.path()).index()->finished);
  const std::string after = read_file(folder / "metrics.jsonl");
  CHECK(count_of("\"ended_early\"", after) == 1);
  CHECK(count_of("\"kind\": \"eval\"", after) == static_cast<std::size_t>(run.outcome.step / 100));

  // With more patience it continues.
  settings.early_stop = 4;
  CHECK(train_alone(settings, few()).outcome.step == run.outcome.step + 200);
}

TEST_CASE("one rank and three choose alike under --exact") {
  const TemporaryFolder folder;
  for_thread_ranks(3, [&](RankContext& rank) {
    const TestRun run = train_rank(rank, choosing_settings(folder.path()), few());
    if (rank.communicator.rank() == 0) CHECK(chosen_in(folder.path(), run) == undisturbed());
  });
}

TEST_CASE("a run that was killed anywhere chooses as the undisturbed one") {
  const std::int64_t best = best_step(undisturbed());
  const std::int64_t end = undisturbed().step;
  const TemporaryFolder whole;
  TrainSettings settings = choosing_settings(whole.path());
  settings.save_steps = 100;  // before each evaluation
  train_alone(settings, few());
  for (const std::int64_t killed : {std::int64_t{0}, best - 100, best, best + 100, end}) {
    CAPTURE(killed);
    const TemporaryFolder folder;
    fs::copy(whole.path(), folder.path(), fs::copy_options::recursive);
    settings.output_dir = folder.path();
    kill_after(folder.path(), killed);
    const TestRun run = train_alone(settings, few());
    CHECK(chosen_in(folder.path(), run) == undisturbed());
  }
}

TEST_CASE("a best step that was evaluated and not put in its place is, when the run resumes from it") {
  const std::int64_t best = best_step(undisturbed());
  const TemporaryFolder folder;
  TrainSettings settings = choosing_settings(folder.path());
  settings.save_steps = 100;
  train_alone(settings, few());
  kill_after(folder.path(), best);
  fs::remove_all(folder / "best");
  CHECK(chosen_in(folder.path(), train_alone(settings, few())) == undisturbed());
}

TEST_CASE("the best of the evaluations at the meetings of model averaging") {
  const TemporaryFolder folder;
  TrainSettings settings = choosing_settings(folder.path());
  settings.exact = false;
  settings.strategy = "model_averaging";
  settings.sync_every = 30;
  for_thread_ranks(3, [&](RankContext& rank) {
    const TestRun run = train_rank(rank, settings, few());
    if (rank.communicator.rank() != 0) return;
    const Chosen chosen = chosen_in(folder.path(), run);
    CHECK(best_step(chosen) % 30 == 0);
    CHECK(run.outcome.step % 30 == 0);
  });
}

TEST_CASE("the average is what is chosen by, and a metric for which more is better") {
  const TemporaryFolder folder;
  TrainSettings settings = choosing_settings(folder.path());
  settings.ema = 0.9;
  settings.keep_best = "accuracy";
  settings.early_stop.reset();
  settings.train_steps = 400;
  const TestRun run = train_alone(settings, few());
  CHECK(run.outcome.step == 400);
  const auto note = BestFolder(folder / "best").note();
  REQUIRE(note);
  CHECK(note->metric == "accuracy");
  CHECK(note->value >= run.outcome.evaluation["accuracy"].mean);
  CHECK(CheckpointDecoder(folder / ("best/model.ckpt-" + std::to_string(note->step) + ".h5")).header().ema_updates ==
        note->step);
}

TEST_CASE("a held out share is trained on by nobody, and a run with another one is refused") {
  const TemporaryFolder folder;
  const Registry registry = registry_without_dev();
  TrainSettings settings = small_settings();
  settings.problem = "no_dev";
  settings.output_dir = folder.path();
  settings.holdout = 0.1;
  settings.train_steps = 3;
  const TestRun run = train_alone(settings, registry);
  CHECK(run.outcome.evaluated == Split::dev);
  CHECK(run.outcome.evaluation.samples == 2000);
  settings.train_steps = 5;
  settings.holdout = 0.2;
  check_error(ExitCode::configuration, {"holdout: '0.1' there, '0.2' here"}, [&] { train_alone(settings, registry); });
  settings.holdout.reset();
  check_error(ExitCode::configuration, {"holdout: '0.1' there, not set here"},
              [&] { train_alone(settings, registry); });
  settings.holdout = 0.1;
  settings.eval_use_test_set = true;
  const TestRun on_test = train_alone(settings, registry);
  CHECK(on_test.outcome.evaluated == Split::test);
  CHECK(on_test.outcome.evaluation.samples == 4000);
  settings.problem = "image_shapes";
  settings.output_dir.clear();
  check_error(ExitCode::configuration, {"--holdout=0.1", "a dev split of 2000 samples"},
              [&] { train_alone(settings); });
}

}  // namespace lockstep
