#include "checkpoint/average.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "checkpoint/decoder.h"
#include "checkpoint/encoder.h"
#include "checkpoint/shape_json.h"
#include "checkpoint_states.h"
#include "data/sequences/tokenizer.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

// Rearranges the variables of a file into a table sorted by name.
std::vector<float> by_name(const std::vector<float>& array, const ParameterTable& table, const ParameterTable& sorted) {
  std::vector<float> result(static_cast<std::size_t>(sorted.padded_count()));
  for (const Variable& variable : table.variables()) {
    for (const Variable& same : sorted.variables()) {
      if (same.name != variable.name) continue;
      std::copy_n(array.begin() + variable.range.begin, same.range.count(), result.begin() + same.range.begin);
    }
  }
  return result;
}

// Files of one model whose values differ, steps 10, 20, ...
struct Files {
  explicit Files(int count) {
    for (int i = 0; i < count; ++i) {
      StateArrays arrays = some_arrays(layout);
      for (auto* array : {&arrays.parameters, &arrays.average}) {
        for (float& value : *array) value *= 1 + 0.37F * static_cast<float>(i * i);
      }
      CheckpointHeader header = some_header();
      header.step = header.cursor.step = 10 * (i + 1);
      paths.push_back(folder / ("model.ckpt-" + std::to_string(header.step) + ".h5"));
      put_checkpoint(paths.back(), header, layout, arrays);
      states.push_back(std::move(arrays));
    }
  }
  // Adds a file with this header to the folder.
  std::string add(const std::string& name, const CheckpointHeader& header, const StateLayout& of) const {
    put_checkpoint(folder / name, header, of, some_arrays(of));
    return folder / name;
  }

  TemporaryFolder folder{};
  ParameterTable table = odd_table();
  StateLayout layout{.table = &table, .slots = {"m", "v"}, .average = true};
  std::vector<std::string> paths{};
  std::vector<StateArrays> states{};
};

}  // namespace

TEST_CASE("the mean of five checkpoints is the float64 mean, rounded once, of parameters or of moving averages") {
  const Files files(5);
  for (const auto of : {AverageOf::parameters, AverageOf::moving_average}) {
    const AveragedCheckpoint mean = average_checkpoints(files.paths, of);
    std::vector<float> expected(static_cast<std::size_t>(files.table.padded_count()));
    for (std::size_t at = 0; at < expected.size(); ++at) {
      double sum = 0;
      for (const StateArrays& state : files.states) {
        sum += (of == AverageOf::parameters ? state.parameters : state.average)[at];
      }
      expected[at] = static_cast<float>(sum / 5);
    }
    CHECK(mean.parameters == by_name(expected, files.table, mean.table));
  }
}

TEST_CASE("equal values stay as they are, for any number of files") {
  for (const int count : {1, 3, 7, 49}) {
    ArrayMean mean;
    const std::vector<float> values = {0.1F, -1e-38F, 3.4e38F, 0, 16777217.0F};
    for (int i = 0; i < count; ++i) mean.add(values);
    CHECK(mean.rounded() == values);
  }
}

TEST_CASE("the result is a checkpoint of the newest file's run without optimizer state or moving average") {
  const Files files(3);
  const std::vector<std::string> newest_first = {files.paths[2], files.paths[0], files.paths[1]};
  const AveragedCheckpoint mean = average_checkpoints(newest_first, AverageOf::parameters);
  put_checkpoint(files.folder / "mean.h5", mean.header, {.table = &mean.table}, {.parameters = mean.parameters});

  const CheckpointDecoder reader(files.folder / "mean.h5");
  CHECK(reader.header().step == 30);
  CHECK(reader.header().ema_updates == 0);
  CHECK(reader.header().optimizer_begun == 0);
  CHECK(reader.header().model == some_header().model);
  CHECK(reader.header().hparams == some_header().hparams);
  CHECK(reader.slots().empty());
  CHECK_FALSE(reader.has_average());
  CHECK(reader.has_variables_of(files.table));
}

TEST_CASE("the result has the place in the data, and the missed batches, of the newest file") {
  const Files files(2);
  CheckpointHeader header = some_header();
  header.step = header.cursor.step = 9;
  header.cursor.missed = {{1, 2}};
  const std::string older = files.add("older.h5", header, files.layout);
  header.step = header.cursor.step = 50;
  header.cursor.missed = {{7}, {8, 9, 10}};
  const std::string newest = files.add("newest.h5", header, files.layout);
  const std::vector<std::string> paths = {older, newest, files.paths[0]};
  CHECK(average_checkpoints(paths, AverageOf::parameters).header.cursor == header.cursor);
  const std::vector<std::string> without = {older, files.paths[0]};
  CHECK(average_checkpoints(without, AverageOf::parameters).header.cursor.missed.empty());
}

TEST_CASE("a vocabulary that one of the files has is the result's") {
  const Files files(1);
  CheckpointHeader with = some_header();
  with.vocabulary = R"({"unit":"word","words":["a"]})";
  with.shape = shape_to_json({.sample = ProblemShape::Sample::sequence,
                              .input = {},
                              .outputs = 4,
                              .input_type = DType::int32,
                              .vocabulary = 4,
                              .vocabulary_digest = vocabulary_digest(with.vocabulary)});
  CheckpointHeader without = with;
  without.vocabulary = "";
  CheckpointHeader old = without;
  old.shape = "";
  const auto vocabulary = [&](const CheckpointHeader& first, const CheckpointHeader& second) {
    const std::vector<std::string> both = {files.add("first.h5", first, files.layout),
                                           files.add("second.h5", second, files.layout)};
    return average_checkpoints(both, AverageOf::parameters).header.vocabulary;
  };
  CHECK(vocabulary(with, without) == with.vocabulary);
  CHECK(vocabulary(without, with) == with.vocabulary);
  CHECK(vocabulary(with, with) == with.vocabulary);
  CHECK(vocabulary(without, without).empty());
  CHECK(vocabulary(with, old).empty());  // the result is that of the second, without a shape that has its digest
}

TEST_CASE("files of different models have no mean: both are named, and what differs") {
  const Files files(1);
  const std::string& first = files.paths[0];
  CheckpointHeader header = some_header();
  const ParameterTable small = small_table();
  const StateLayout other{.table = &small};
  const auto refused = [&](const std::string& path, std::initializer_list<std::string> parts) {
    const std::vector<std::string> both = {first, path};
    const auto call = [&] { average_checkpoints(both, AverageOf::parameters); };
    check_error(ExitCode::configuration, parts, call);
    check_error(ExitCode::configuration, {"'" + first + "' and '" + path + "'"}, call);
  };
  refused(files.add("variables.h5", header, other),
          {"dense_0/kernel is (3, 2) in the second and (7, 3) in the first", "embedding is not in the second"});
  header.shape = R"({"input":[28,28],"type":"float32","target":"real","outputs":10,"normalised":true})";
  refused(files.add("shape.h5", header, files.layout), {"inputs and targets", "[28,28,1]", "[28,28]", "real"});
  header.model = "linear";
  refused(files.add("model.h5", header, files.layout), {"the model is 'mlp' in the first and 'linear' in the second"});
}

TEST_CASE("hyperparameters may differ, and are named; the number of steps is none") {
  const Files files(1);
  CheckpointHeader header = some_header();
  header.hparams = R"({"learning_rate": 0.2, "name": "Grüße", "activation": "tanh", "train_steps": 7})";
  const std::vector<std::string> both = {files.paths[0], files.add("other.h5", header, files.layout)};
  CHECK(average_checkpoints(both, AverageOf::parameters).other_hparams ==
        std::set<std::string>{"activation", "learning_rate"});
  CHECK(average_checkpoints(files.paths, AverageOf::parameters).other_hparams.empty());
}

TEST_CASE("a file that does not say its shape is taken; one without a moving average has none to average") {
  const Files files(1);
  CheckpointHeader header = some_header();
  header.shape = "";
  const std::vector<std::string> both = {files.add("old.h5", header, {.table = &files.table}), files.paths[0]};
  CHECK(average_checkpoints(both, AverageOf::parameters).header.shape == "");
  check_error(ExitCode::configuration, {"old.h5", "no moving average", "--ema"},
              [&] { average_checkpoints(both, AverageOf::moving_average); });
}

}  // namespace lockstep
