#include "launch/flags/config_file.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "launch/flags/flags_from_settings.h"
#include "launch/flags/train_command.h"
#include "support/another_value.h"
#include "support/temporary_folder.h"
#include "train/config/result_config.h"
#include "train/registry/hparams_sets.h"
#include "train/registry/setting_rules.h"

namespace lockstep {
namespace {

using Args = std::vector<std::string>;

TrainSettings settings_of(const Args& args) { return settings_of(read_train_command(args), builtin_registry()); }

std::string file_refusal(const std::string& text) {
  try {
    parse_config(text, "my.json", flags_from_settings());
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    CHECK(error.scope() == Scope::every_rank);
    const std::string message = error.what();
    CHECK(message.starts_with("--config=my.json: "));
    return message.substr(18);
  }
  return "";
}

// The settings of `train` for a file of this text and a command line.
class Trained {
 public:
  explicit Trained(const std::string& text) : file_(folder_ / "my.json") { std::ofstream(file_) << text; }

  TrainSettings with(Args args = {}) const {
    args.insert(args.begin() + (args.empty() ? 0 : 1), "--config=" + file_);  // its position does not matter
    return settings_of(args);
  }
  std::string refusal(const Args& args = {}) const {
    try {
      with(args);
    } catch (const Error& error) {
      CHECK(error.scope() == Scope::every_rank);
      const std::string message = error.what();
      const std::string front = "--config=" + file_ + ": ";
      return message.starts_with(front) ? "FILE: " + message.substr(front.size()) : message;
    }
    return "";
  }

 private:
  TemporaryFolder folder_;
  std::string file_;
};

HParams resolved(const TrainSettings& settings) { return resolve_hparams(settings, builtin_registry()); }

std::string config_of(const TrainSettings& settings) {
  return config_json(settings, settings_in_use(settings, builtin_registry()), resolved(settings), {.ranks = 3});
}

// Compares all flags except hparams, which config.json holds resolved.
void check_same_flags(const TrainSettings& one, const TrainSettings& other) {
  for (const TrainSetting& setting : train_settings()) {
    if (setting.name == "hparams") continue;
    CAPTURE(setting.name);
    CHECK(value_text(setting, one) == value_text(setting, other));
  }
}

// Flags that set this setting to another value than its default, including flags that it requires.
Args with_what_it_needs(const TrainSetting& setting) {
  Args args;
  if (!setting.needs.empty()) args = with_what_it_needs(train_setting(setting.needs));
  if (!setting.of_works.empty()) {
    const auto* const kind = std::ranges::find(kSchedules, setting.of_works.front(), &ScheduleKind::work);
    args.push_back(fmt::format("--schedule={}", kind->name));
  }
  const Registry registry = builtin_registry();
  for (const auto& [name, named] : registry.strategies.entries()) {
    if (std::ranges::find(named.entry.settings, setting.name) != named.entry.settings.end() && name != "sync") {
      args.push_back("--strategy=" + name);
      break;
    }
  }
  args.push_back(fmt::format("--{}={}", setting.name, another_value(setting)));
  return args;
}

}  // namespace

TEST_CASE("config file: values of each type arrive as on a command line") {
  const TrainSettings options = Trained(R"({"model": "linear", "train-steps": 7, "fusion_mb": 0.25, "quiet": true,
      "model_dir": "out", "save_checkpoints_secs": "10m", "hang_timeout": 30, "exact": false, "ema": 0.5,
      "hparams": "batch_size=3"})")
                                    .with();
  CHECK(options.model == "linear");
  CHECK(hparams_set_name(options) == "linear");
  CHECK(options.train_steps == 7);
  CHECK(options.fusion_mb == 0.25);
  CHECK(options.quiet);
  CHECK(options.output_dir == "out");
  CHECK(options.save_time == std::chrono::seconds(600));
  CHECK(options.hang_timeout == std::chrono::seconds(30));
  CHECK_FALSE(options.exact);
  CHECK(options.ema == 0.5);
  const TrainSettings tuned = Trained(R"({"fusion_mb": "tune"})").with();
  REQUIRE(tuned.fusion_mb.has_value());
  CHECK(tuned.fusion_mb->tune);
  CHECK(options.hparams == "batch_size=3");
  CHECK(Trained("{}").with().model == "mlp");
}

TEST_CASE("config file: what is refused names file and flag") {
  CHECK(file_refusal("").starts_with("it is not JSON at character 1: "));
  CHECK(file_refusal("[1]") == R"(expected one JSON object of flags, such as {"model": "mlp", "train_steps": 500})");
  CHECK(file_refusal(R"({"modle": "mlp"})") ==
        "unknown flag 'modle' (did you mean 'model'?); train --help lists the flags");
  CHECK(file_refusal(R"({"train-steps": 1, "train_steps": 1})") ==
        "'train_steps' is given twice (dashes are underscores); keep one");
  CHECK(file_refusal(R"({"model_dir": "a", "output_dir": "a"})") ==
        "'output_dir' is given twice (dashes are underscores, and 'model_dir' is another name for it); keep one");
  CHECK(file_refusal(R"({"model": "a", "model": "a"})") == "'model' stands in it twice; keep one");
  CHECK(file_refusal(R"({"train_steps": true})") == "'train_steps' is true, but a text or a number is needed");
  CHECK(file_refusal(R"({"train_steps": null})") == "'train_steps' is null, but a text or a number is needed");
  CHECK(file_refusal(R"({"model": ["mlp"]})") == "'model' is a list, but a text or a number is needed");
  CHECK(file_refusal(R"({"model": {}})") == "'model' is an object, but a text or a number is needed");
  CHECK(file_refusal(R"({"exact": "true"})") == "'exact' is \"true\", but true or false is needed");
  CHECK(file_refusal(R"({"exact": 1})") == "'exact' is 1, but true or false is needed");
  CHECK(file_refusal(R"({"hparams": 3})") == "'hparams' is 3, but a text or an object is needed");
  CHECK(
      file_refusal(R"({"hparams": {"a": {"b": 1}}})").starts_with("'hparams': the value of 'a' is or holds an object"));
  CHECK(file_refusal(R"({"t2t_usr_dir": "a"})").starts_with("unknown flag 't2t_usr_dir': it names modules of Python"));
  CHECK(file_refusal(R"({"batch_size": 64})") == "unknown flag 'batch_size': it is an hparam: --hparams=batch_size=64");
  CHECK(file_refusal(R"({"a\u0000\u001bb": 1})") == "unknown flag 'a\\x00\\x1bb'; train --help lists the flags");
  for (const char* name : {"config", "help", "version", "registry_help", "print_hparams", "print-schedule"}) {
    CHECK(file_refusal(std::string("{\"") + name + "\": true}") ==
          std::string("'") + name + "' has a meaning on the command line only; take it out of the file");
  }
}

TEST_CASE("config file: what only options can refuse names the file as well") {
  CHECK(Trained(R"({"train_steps": 1e3})").refusal() ==
        "FILE: --train_steps=1000.0: expected a whole number from 1 to 4294967295");
  CHECK(Trained(R"({"strategy": "snyc"})")
            .refusal()
            .starts_with("FILE: --strategy=snyc: expected central_storage, model_averaging, parameter_server or"));
  CHECK(Trained(R"({"sync_every": 5})").refusal().starts_with("FILE: --sync_every=5: has a meaning with"));
  CHECK(Trained(R"({"data_dir": ""})").refusal().starts_with("FILE: --data_dir=: the value is empty"));
  CHECK(Trained(R"({"train_steps": 5})").refusal({"--log_every=-1"}).starts_with("--log_every=-1: expected"));
}

TEST_CASE("config file: one that is not there, and an empty name") {
  try {
    settings_of(Args{"--config=/nothing/here.json"});
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::missing_input);
    CHECK(error.scope() == Scope::every_rank);
    CHECK(std::string(error.what()).starts_with("--config=/nothing/here.json: "));
  }
  CHECK_THROWS_AS(settings_of(Args{"--config="}), Error);
}

TEST_CASE("config file: the command line wins, flag by flag") {
  const Trained file(R"({"train_steps": 7, "log_every": 3, "quiet": true, "exact": true, "global_batch_size": 64,
                         "micro_shards": 4, "save_checkpoints_secs": 60, "output_dir": "out"})");
  const TrainSettings options = file.with({"--train_steps=8", "--noquiet"});
  CHECK(options.train_steps == 8);
  CHECK(options.log_every == 3);
  CHECK_FALSE(options.quiet);
  CHECK(options.micro_shards == 4);
  CHECK(options.save_time == std::chrono::seconds(60));
}

TEST_CASE("config file: what has no meaning next to the command line is left out") {
  const Trained sync(R"({"train_steps": 7, "fusion_mb": 2, "overlap": "thread", "save_checkpoints_secs": 60,
                         "output_dir": "out"})");
  const TrainSettings epochs = sync.with({"--train_epochs=2", "--save_checkpoints_steps=5"});
  CHECK_FALSE(epochs.train_steps.has_value());
  CHECK(epochs.train_epochs == 2);
  CHECK(epochs.save_steps == 5);
  CHECK_FALSE(epochs.save_time.has_value());
  CHECK_FALSE(sync.with({"--strategy=model_averaging"}).fusion_mb.has_value());

  // "Not by time" does not contradict a setting in steps.
  const Trained steps(R"({"save_checkpoints_steps": 40, "output_dir": "out"})");
  CHECK(steps.with({"--save_checkpoints_secs=0s"}).save_steps == 40);
  CHECK_FALSE(steps.with({"--save_checkpoints_secs=9"}).save_steps.has_value());

  const Trained averaging(R"({"strategy": "model_averaging", "sync_every": 7})");
  CHECK(averaging.with({"--strategy=sync"}).strategy == "sync");
  CHECK(averaging.with({"--strategy=model_averaging"}).sync_every == 7);
  CHECK(averaging.with({"--sync_every=8"}).sync_every == 8);

  const Trained exact(R"({"exact": true, "global_batch_size": 64, "micro_shards": 4})");
  CHECK_FALSE(exact.with({"--noexact"}).exact);
  CHECK(exact.refusal({"--strategy=model_averaging"}).starts_with("--exact cannot be kept"));
}

TEST_CASE("config file: hparams of the file, then those of the command line") {
  const Trained object(R"({"hparams": {"hidden_size": 64, "dropout": 0, "learning_rate": 0.5}})");
  HParams hparams = resolved(object.with({"--hparams=learning_rate=0.25"}));
  CHECK(hparams.integer("hidden_size") == 64);
  CHECK(std::get<double>(hparams.values().at("dropout")) == 0.0);
  CHECK(hparams.number("learning_rate") == 0.25);

  const Trained text(R"({"hparams": "hidden_size=64, dropout=0.5, learning_rate=0.5, "})");
  CHECK(text.with({"--hparams=dropout=0.25,batch_size=3"}).hparams ==
        "hidden_size=64, learning_rate=0.5, dropout=0.25,batch_size=3");
  hparams = resolved(text.with({"--hparams=dropout=0.25,batch_size=3"}));
  CHECK(hparams.integer("hidden_size") == 64);
  CHECK(hparams.number("dropout") == 0.25);
  CHECK(hparams.integer("batch_size") == 3);
  CHECK(text.with({"--hparams="}).hparams == "hidden_size=64, dropout=0.5, learning_rate=0.5, ");

  try {
    resolved(Trained(R"({"hparams": {"hiden_size": 64}})").with());
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).starts_with("--config: this set of hparams has no 'hiden_size' (did you mean"));
  }
}

TEST_CASE("config file: hparams of another set are left out") {
  for (const char* hparams : {R"("hidden_size=64")", R"({"hidden_size": 64})"}) {
    const Trained file(R"({"model": "mlp", "hparams_set": "mlp", "hparams": )" + std::string(hparams) + "}");
    CHECK(resolved(file.with({"--model=mlp"})).integer("hidden_size") == 64);
    CHECK(resolved(file.with({"--hparams_set=mlp"})).integer("hidden_size") == 64);
    const TrainSettings linear = file.with({"--model=linear"});
    CHECK(hparams_set_name(linear) == "linear");
    CHECK_FALSE(resolved(linear).has("hidden_size"));
    CHECK(resolved(file.with({"--hparams_set=convnet"})).integer("hidden_size") == 128);
  }
  // If the file names no model, it is for the default model.
  const Trained file(R"({"hparams": "hidden_size=64"})");
  CHECK(resolved(file.with({"--model=mlp"})).integer("hidden_size") == 64);
  CHECK_FALSE(resolved(file.with({"--model=linear"})).has("hidden_size"));
}

TEST_CASE("config file: config.json of a run gives the same run") {
  const std::vector<Args> runs = {
      {},
      {"--hparams=hidden_size=64,learning_rate=3"},
      {"--model=linear", "--problem=image_mnist", "--data_dir=data é", "--usr_lib=libmine.so", "--eval_steps=3"},
      {"--model=linear", "--hparams_set=convnet", "--train_steps=5", "--output_dir=out", "--save_checkpoints_steps=7"},
      {"--exact", "--global_batch_size=64", "--micro_shards=5", "--train_epochs=3", "--ema=0.999", "--overlap=thread"},
      {"--strategy=model_averaging", "--sync_every=9", "--random_seed=9223372036854775807", "--log_every=1"},
      {"--fusion_mb=0.1", "--output_dir=out", "--save_checkpoints_secs=1h", "--keep_checkpoint_max=0",
       "--local_eval_frequency=0"}};
  for (const Args& args : runs) {
    const TrainSettings settings = settings_of(args);
    const std::string text = config_of(settings);
    CAPTURE(text);
    const TrainSettings again = Trained(text).with();
    CHECK(resolved(again) == resolved(settings));
    check_same_flags(again, settings);
    CHECK(config_of(again) == text);
  }
}

TEST_CASE("config file: every setting, given another value than its default, comes back from config.json") {
  for (const TrainSetting& setting : train_settings()) {
    if (setting.field.index() == 0) continue;
    CAPTURE(setting.name);
    const Args args = with_what_it_needs(setting);
    const TrainSettings settings = settings_of(args);
    REQUIRE(value_text(setting, settings) != value_text(setting, TrainSettings()));
    const TrainSettings again = Trained(config_of(settings)).with();
    if (setting.kept == Kept::for_one_start) {
      CHECK(value_text(setting, again) == value_text(setting, TrainSettings()));
    } else {
      check_same_flags(again, settings);
    }
    CHECK(resolved(again) == resolved(settings));
  }
}

TEST_CASE("--config=FOLDER points at the folder's config.json, if there is one") {
  const TemporaryFolder folder;
  const auto message = [&] {
    try {
      read_config_text(folder.path());
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message().ends_with("it is a folder, a file is needed"));
  std::ofstream(folder / "config.json") << "{}";
  CHECK(message().ends_with("it is a folder, a file is needed; " + (folder / "config.json") + " is there"));
}

}  // namespace lockstep
