// Resuming on data that have changed: the refusal names the cause of the change, not its consequences.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "data/npy_files.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"
#include "train_rank.h"

namespace lockstep {
namespace {

constexpr std::int64_t kSamples = 30;

// Writes training samples to a folder for --problem=arrays: rows of numbers, each with the label of one of the classes.
void write_data(const TemporaryFolder& folder, std::int64_t features, std::int32_t classes, float more = 0) {
  std::vector<float> inputs;
  std::vector<std::int32_t> labels;
  for (std::int32_t sample = 0; sample < kSamples; ++sample) {
    for (std::int64_t i = 0; i < features; ++i) inputs.push_back(static_cast<float>(sample * features + i) + more);
    labels.push_back(sample % classes);
  }
  write_file(folder / "train_inputs.npy", npy<float>({kSamples, features}, inputs));
  write_file(folder / "train_targets.npy", npy<std::int32_t>({kSamples}, labels));
}

TrainSettings settings_on(const TemporaryFolder& data, const TemporaryFolder& run) {
  TrainSettings settings = small_settings();
  settings.problem = "arrays";
  settings.data_dir = data.path();
  settings.model = "linear";
  settings.hparams = "learning_rate=0.001";
  settings.global_batch_size.reset();
  settings.output_dir = run.path();
  settings.train_steps = 2;
  return settings;
}

std::string refusal(TrainSettings settings) {
  settings.train_steps = 4;
  std::string message;
  check_error(ExitCode::configuration, {"model.ckpt-2.h5'", "another --output_dir"}, [&] {
    try {
      train_alone(settings);
    } catch (const Error& error) {
      message = error.what();
      throw;
    }
  });
  return message;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("data with another number of features or classes are refused with both shapes, not with a checksum") {
  const TemporaryFolder data;
  const TemporaryFolder run;
  TrainSettings settings = settings_on(data, run);
  write_data(data, 5, 3);
  CHECK(train_alone(settings).outcome.step == 2);
  struct Case {
    std::int64_t features;
    std::int32_t classes;
    const char* now;
  };
  for (const Case& other : {Case{6, 3, R"("input":[6],"type":"float32","target":"class_label","outputs":3,)"},
                            Case{5, 4, R"("input":[5],"type":"float32","target":"class_label","outputs":4,)"}}) {
    write_data(data, other.features, other.classes);
    const std::string message = refusal(settings);
    CHECK(has(message, R"("input":[5],"type":"float32","target":"class_label","outputs":3,)"));
    CHECK(has(message, other.now));
    CHECK(has(message, "--data_dir=" + data.path()));
    CHECK(!has(message, "checksum"));
  }
  // Normalised inputs are part of the shape, too, but requested by an hparam.
  write_data(data, 5, 3);
  settings.hparams += ",normalize_inputs=True";
  CHECK(has(refusal(settings), "normalize_inputs: 'false' there, 'true' here"));
}

TEST_CASE("another --holdout is refused as that, not as other samples, and taken when it is allowed") {
  const TemporaryFolder data;
  const TemporaryFolder run;
  write_data(data, 5, 3);
  TrainSettings settings = settings_on(data, run);
  settings.holdout = 0.1;
  CHECK(train_alone(settings).outcome.step == 2);

  TrainSettings other = settings;
  const auto only = [](const std::string& message, const std::string& line) {
    CAPTURE(message);
    CHECK(has(message, "result:\n    " + line + "\n  To continue"));
  };
  other.holdout = 0.2;
  only(refusal(other), "holdout: '0.1' there, '0.2' here");
  CHECK(has(refusal(other), "add --allow_changes=holdout"));
  other.holdout.reset();
  only(refusal(other), "holdout: '0.1' there, not set here");
  other.holdout = 0.1;
  other.seed = 2;  // decides which samples are held out
  only(refusal(other), "random_seed: '1' there, '2' here");

  settings.train_steps = 4;
  settings.holdout = 0.2;
  settings.allow_changes = {"holdout"};
  CHECK(train_alone(settings).outcome.step == 4);
  write_data(data, 5, 3, 0.5F);  // other samples are still noticed under the same flags
  settings.train_steps = 6;
  settings.allow_changes.clear();
  check_error(ExitCode::configuration, {"training_data: ", "a checksum: the samples themselves have changed"},
              [&] { train_alone(settings); });
}

}  // namespace lockstep
