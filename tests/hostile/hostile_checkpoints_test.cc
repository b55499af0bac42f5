// Whatever is wrong with a checkpoint, a run that finds it ends with a message that names the file, and neither reads
// it wrongly nor hangs, on one rank and on two. tests/hostile/hostile_train.cc checks the same for the program itself.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "base/clock.h"
#include "checkpoint/average.h"
#include "hostile/hostile_forms.h"
#include "launch/tools/checkpoint_summary.h"
#include "support/temporary_folder.h"
#include "train/train_rank.h"

namespace lockstep {
namespace {

constexpr const char* kName = "model.ckpt-6.h5";

TrainSettings settings_in(const std::string& folder, std::int64_t steps) {
  TrainSettings settings = small_settings();
  settings.model = "linear";
  settings.hparams = "optimizer=adam,learning_rate=0.01";
  settings.ema = 0.9;
  settings.train_steps = steps;
  settings.output_dir = folder;
  return settings;
}

// A folder with one good checkpoint, and the targets of hostile links.
struct Scene {
  Scene() : good(folder / "good.h5"), around{.good_copy = folder / "copy.h5", .pipe = folder / "pipe"} {
    train_alone(settings_in(folder / "first", 6));
    std::filesystem::copy_file(folder / ("first/" + std::string(kName)), good);
    std::filesystem::copy_file(good, around.good_copy);
    REQUIRE(::mkfifo(around.pipe.c_str(), 0600) == 0);
  }

  // Makes a folder that contains only the form.
  std::string place(const HostileForm& form) const {
    const std::string run = folder / "run";
    std::filesystem::remove_all(run);
    std::filesystem::create_directory(run);
    make_hostile(good, form, run + "/" + kName);
    return run;
  }

  TemporaryFolder folder;
  std::string good;
  HostileSurroundings around;
};

bool is_refusal(ExitCode code) {
  return code == ExitCode::bad_data || code == ExitCode::missing_input || code == ExitCode::configuration;
}

void check_refused(const std::string& run, int ranks) {
  constexpr std::size_t kMaxMessageBytes = 4000;
  const Stopwatch watch;
  std::string message = "it was taken";
  std::optional<ExitCode> code;
  try {
    if (ranks == 1) {
      train_alone(settings_in(run, 8));
    } else {
      for_thread_ranks(ranks, [&](RankContext& rank) { train_rank(rank, settings_in(run, 8)); });
    }
  } catch (const Error& error) {
    code = error.code();
    message = error.what();
  } catch (const std::exception& error) {
    message = std::string("not an Error: ") + error.what();
  }
  CAPTURE(ranks);
  CAPTURE(message.substr(0, kMaxMessageBytes));
  CHECK((code && is_refusal(*code)));
  CHECK(message.find(kName) != std::string::npos);
  CHECK(message.size() < kMaxMessageBytes);
  CHECK(message.find('\x1b') == std::string::npos);
  CHECK(watch.seconds() < 60);                        // only that it ends; hostile_train measures the time
  CHECK(std::filesystem::exists(run + "/" + kName));  // never set aside
}

// Runs a reader that need not read all of a file: it has to succeed, or end with a refusal. Returns whether it was
// refused.
template <class Work>
bool refuses(const char* what, const Work& work) {
  CAPTURE(what);
  try {
    work();
    return false;
  } catch (const Error& error) {
    const std::string message = error.what();
    CAPTURE(message);
    CHECK(is_refusal(error.code()));
    CHECK(message.find(kName) != std::string::npos);
    CHECK(message.find('\x1b') == std::string::npos);
  } catch (const std::exception& error) {
    FAIL_CHECK("not an Error: ", error.what());
  }
  return true;
}

}  // namespace

TEST_CASE("every hostile form of a checkpoint is refused, by name") {
  const Scene scene;
  const std::vector<HostileForm> forms = hostile_forms(scene.good, scene.around);
  CHECK(forms.size() >= 300);
  std::set<std::string> names;
  for (const HostileForm& form : forms) {
    CAPTURE(form.name);
    CHECK(names.insert(form.name).second);
    const std::string run = scene.place(form);
    check_refused(run, 1);
    check_refused(run, 2);
  }
}

TEST_CASE("a hostile form has no mean and no summary, unless what they take of it is sound") {
  const Scene scene;
  int refused = 0;
  for (const HostileForm& form : hostile_forms(scene.good, scene.around)) {
    CAPTURE(form.name);
    const std::vector<std::string> file = {scene.place(form) + "/" + kName};
    // A warm start reads these, too.
    const bool no_mean = refuses("parameters", [&] { average_checkpoints(file, AverageOf::parameters); });
    const bool no_average = refuses("average", [&] { average_checkpoints(file, AverageOf::moving_average); });
    const bool no_summary = refuses("inspect", [&] { summary_json(summarize_checkpoint(file[0])); });
    if (no_mean || no_average || no_summary) ++refused;
  }
  CHECK(refused >= 200);
}

TEST_CASE("the same file without a change is taken") {
  const Scene scene;
  for (const bool oldest_format : {false, true}) {
    const std::string run = scene.place({"no change", [](std::int64_t) {}, oldest_format});
    CHECK(train_alone(settings_in(run, 8)).outcome.step == 8);
  }
}

}  // namespace lockstep
