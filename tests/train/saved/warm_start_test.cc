#include "train/saved/warm_start.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "base/durable_file.h"
#include "base/input_file.h"
#include "checkpoint/average.h"
#include "checkpoint/encoder.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"
#include "train/resumed_runs.h"

namespace lockstep {
namespace {

TrainSettings settings_with(const std::string& hparams) {
  TrainSettings settings = small_settings();
  settings.hparams = "optimizer=sgd,dropout=0.1,learning_rate_schedule=constant," + hparams;
  return settings;
}

// Trains 20 steps in the folder, with checkpoints of steps 5, 10, 15 and 20.
void train_in(const TemporaryFolder& folder, TrainSettings settings) {
  settings.save_steps = 5;
  settings.output_dir = folder.path();
  train_alone(settings);
}

using Variables = std::map<std::string, std::vector<float>>;

Variables variables_of(const AveragedCheckpoint& checkpoint) {
  Variables found;
  for (const Variable& variable : checkpoint.table.variables()) {
    const auto begin = checkpoint.parameters.begin();
    found[variable.name] = {begin + variable.range.begin, begin + variable.range.end};
  }
  return found;
}

Variables read_variables(const std::string& path, AverageOf of = AverageOf::parameters) {
  const std::vector<std::string> file = {path};
  return variables_of(average_checkpoints(file, of));
}

// Returns the variables with which a run begins, for settings with a learning rate so small that a step changes
// nothing.
Variables beginning(TrainSettings settings, AverageOf of = AverageOf::parameters, int ranks = 1) {
  const TemporaryFolder folder;
  settings.train_steps = 1;
  settings.output_dir = folder.path();
  for_thread_ranks(ranks, [&](RankContext& rank) { train_rank(rank, settings); });
  return read_variables(folder / "model.ckpt-1.h5", of);
}

// Compares with a tolerance, because such a step does show in initial values of 0.
bool same(const std::vector<float>& values, const std::vector<float>& expected, double most = 1e-25) {
  return std::ranges::equal(values, expected, [&](double one, double other) { return std::abs(one - other) <= most; });
}

const std::string kStill = "hidden_size=24,learning_rate=1e-30";

void refused(ExitCode code, std::initializer_list<std::string> parts, const TrainSettings& settings) {
  for (const int ranks : {1, 3}) {
    check_error(code, parts, [&] { for_thread_ranks(ranks, [&](RankContext& rank) { train_rank(rank, settings); }); });
  }
}

}  // namespace

TEST_CASE("a run begins with the mean of checkpoints: the same bits on any number of ranks") {
  const TemporaryFolder from;
  train_in(from, small_settings());
  const std::vector<std::string> files = {from / "model.ckpt-5.h5", from / "model.ckpt-10.h5",
                                          from / "model.ckpt-15.h5", from / "model.ckpt-20.h5"};
  const AveragedCheckpoint mean = average_checkpoints(files, AverageOf::parameters);
  replace_file(from / "averaged.h5",
               EncodedCheckpoint(mean.header, {.table = &mean.table}, {.parameters = mean.parameters}).bytes());

  TrainSettings settings = settings_with(kStill);
  settings.warm_start_from = from / "averaged.h5";
  CHECK(beginning(settings) == variables_of(mean));
  CHECK(beginning(settings, AverageOf::parameters, 3) == variables_of(mean));
  settings.ema = 0.5;  // the average starts there, too
  CHECK(beginning(settings, AverageOf::moving_average, 3) == variables_of(mean));
  settings.strategy = "model_averaging";  // its mean of three equal values is rounded
  for (const auto& [name, values] : beginning(settings, AverageOf::parameters, 3)) {
    CHECK(same(values, variables_of(mean).at(name), 1e-6));
  }

  TrainSettings exact = small_settings();
  exact.exact = true;
  exact.warm_start_from = from / "averaged.h5";
  const TestRun alone = train_alone(exact);
  CHECK(alone.losses.size() == 20);  // it starts at step 1
  for_thread_ranks(3, [&](RankContext& rank) {
    const TestRun run = train_rank(rank, exact);
    if (rank.communicator.rank() == 0) check_same(run, alone);
  });
}

TEST_CASE("constants of the model come from the file as well, and a folder stands for its newest") {
  const TemporaryFolder from;
  TrainSettings settings = settings_with("hidden_size=24,learning_rate=0.1,normalize_inputs=True");
  train_in(from, settings);
  const Variables there = read_variables(from / "model.ckpt-20.h5");
  CHECK(there.contains("standardization_0/deviation"));

  settings = settings_with(kStill + ",normalize_inputs=True");
  settings.seed = 2;  // other images, with another mean
  CHECK(beginning(settings).at("standardization_0/mean") != there.at("standardization_0/mean"));
  settings.warm_start_from = from.path();
  CHECK(beginning(settings) == there);
}

TEST_CASE("variables that differ are listed and refused; --warm_start_partial takes the others") {
  const TemporaryFolder from;
  train_in(from, small_settings());  // two hidden layers
  TrainSettings settings = settings_with(kStill + ",num_hidden_layers=3");
  settings.warm_start_from = from.path();
  refused(ExitCode::configuration,
          {"model.ckpt-20.h5", "4 of 8 variables", "linear_6/kernel is (24, 10) in the file and (24, 24) in the model",
           "linear_6/bias is (10) in the file and (24) in the model", "linear_9/kernel is not in the file",
           "--warm_start_partial"},
          settings);

  settings.warm_start_partial = true;
  const Variables taken = beginning(settings);
  const Variables there = read_variables(from / "model.ckpt-20.h5");
  settings.warm_start_from = "";
  settings.warm_start_partial = false;
  const Variables initial = beginning(settings);
  REQUIRE(taken.size() == 8);
  for (const auto& [name, values] : taken) {
    CAPTURE(name);
    const bool fits = name.starts_with("linear_0/") || name.starts_with("linear_3/");
    CHECK(same(values, (fits ? there : initial).at(name)));
    if (fits) CHECK_FALSE(same(values, initial.at(name)));
  }
}

TEST_CASE("variables of the file alone are listed as well, and where none fits nothing is taken") {
  const TemporaryFolder from;
  train_in(from, small_settings());
  TrainSettings settings = settings_with(kStill + ",num_hidden_layers=1");
  settings.warm_start_from = from.path();
  refused(ExitCode::configuration, {"linear_6/kernel is in the file alone"}, settings);

  settings.model = "linear";
  settings.hparams = "optimizer=sgd";
  settings.warm_start_partial = true;
  refused(ExitCode::configuration, {"0 of 2 variables", "linear_0/bias is (24) in the file and (10) in the model"},
          settings);
}

TEST_CASE("a run that resumes ignores the file, which may be gone") {
  const TemporaryFolder from;
  train_in(from, small_settings());
  const std::string file = from / "model.ckpt-20.h5";
  TrainSettings settings = small_settings();
  settings.warm_start_from = file;
  const TestRun whole = train_alone(settings);

  const TemporaryFolder folder;
  settings.output_dir = folder.path();
  settings.train_steps = 12;
  train_alone(settings);
  std::filesystem::remove(file);
  settings.train_steps = 20;
  check_same(train_alone(settings), whole);
  settings.warm_start_from = "";  // it need not be given again
  settings.train_steps = 21;
  CHECK(train_alone(settings).outcome.step == 21);
  for (const char* const name : {"metrics.jsonl", "config.json"}) {
    CAPTURE(name);
    const bool noted = read_file(folder / name).find("warm_start_from") != std::string::npos;
    CHECK(noted == (std::string(name) == "metrics.jsonl"));  // config.json belongs to the last start
  }
}

TEST_CASE("no file is 66, a damaged one 65") {
  const TemporaryFolder from;
  TrainSettings settings = small_settings();
  settings.warm_start_from = from.path();
  refused(ExitCode::missing_input, {from.path(), "there is no checkpoint"}, settings);
  settings.warm_start_from = from / "nothing.h5";
  refused(ExitCode::missing_input, {"nothing.h5"}, settings);
  train_in(from, small_settings());
  settings.warm_start_from = from / "model.ckpt-20.h5";
  std::filesystem::resize_file(settings.warm_start_from, 4000);
  refused(ExitCode::bad_data, {"model.ckpt-20.h5", "not a complete checkpoint"}, settings);
}

}  // namespace lockstep
