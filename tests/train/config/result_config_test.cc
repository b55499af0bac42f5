#include "train/config/result_config.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "data/shard_plan.h"
#include "train/registry/hparams_sets.h"
#include "train/registry/registry.h"
#include "train/registry/setting_rules.h"

namespace lockstep {
namespace {

const std::string kSummation = "mpi, Open MPI 4.1.4";

RunPlan plan(std::int64_t block = 0) {
  return {.batches = std::make_shared<ShardPlan>(
              ShardPlan::Options{.samples = 100, .global_batch = 10, .block = block, .window_blocks = 3})};
}

std::vector<ConfigItem> items(const TrainSettings& settings, const std::string& summation = kSummation) {
  return config_items(settings, settings_in_use(settings, builtin_registry()),
                      resolve_hparams(settings, builtin_registry()), plan(), {100}, summation);
}

const ConfigItem* find(const std::vector<ConfigItem>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &ConfigItem::name);
  return found == all.end() ? nullptr : &*found;
}

std::string value(const std::vector<ConfigItem>& all, std::string_view name) {
  const ConfigItem* const item = find(all, name);
  return item == nullptr ? "(not set)" : item->value;
}

std::vector<ConfigItem> defaults() {
  return default_items(default_hparams(builtin_registry()), hparams_set(builtin_registry(), "mlp"));
}

SavedConfig saved(const TrainSettings& settings, int ranks, const std::string& summation = kSummation) {
  return saved_config(to_json(items(settings, summation), ranks));
}

// Returns the message that refuses to resume from `before` with `now`, both on two ranks by default.
std::string refusal(const TrainSettings& before, const TrainSettings& now, int ranks = 2,
                    const std::vector<std::string>& allowed = {}, ExitCode code = ExitCode::configuration) {
  try {
    check_config(saved(before, 2), items(now), defaults(), ranks, allowed, "out/model.ckpt-7.h5");
  } catch (const Error& error) {
    CHECK(error.code() == code);
    CHECK(error.scope() == Scope::every_rank);
    return error.what();
  }
  return "";
}

TrainSettings with_hparams(const std::string& hparams) {
  TrainSettings settings;
  settings.hparams = hparams;
  return settings;
}

TrainSettings exact_settings() {
  TrainSettings settings;
  settings.exact = true;
  settings.global_batch_size = 64;
  return settings;
}

}  // namespace

TEST_CASE("result config: the items of a run") {
  TrainSettings settings = with_hparams("learning_rate=0.25");
  settings.ema = 0.999;
  settings.fusion_mb = 0.5;
  const auto all = items(settings);
  CHECK(value(all, "problem") == "image_shapes");
  CHECK(value(all, "training_samples") == "100");
  CHECK(value(all, "model") == "mlp");
  CHECK(value(all, "random_seed") == "1");
  CHECK(value(all, "global_batch_size") == "batch_size per rank");
  CHECK(value(all, "strategy") == "sync");
  CHECK(value(all, "ema") == "0.999");
  CHECK(value(all, "learning_rate") == "0.25");
  CHECK(value(all, "hidden_size") == "512");
  CHECK(value(all, "precision") == "float32");
  CHECK(value(all, "fusion_mb") == "0.5");
  CHECK(value(all, "summation") == kSummation);
  for (const char* name :
       {"sync_every", "exact", "micro_shards", "usr_lib", "training_blocks", "train_steps", "hparams_set"}) {
    CAPTURE(name);
    CHECK(find(all, name) == nullptr);
  }
  for (const ConfigItem& item : all) {
    CHECK(item.same_world_only == (item.name == "fusion_mb" || item.name == "wire_dtype" || item.name == "summation"));
  }
  CHECK(value(items({}), "fusion_mb") == "4");
  CHECK(value(items({}), "wire_dtype") == "float32");
}

TEST_CASE("result config: items that only some runs have") {
  const auto exact = items(exact_settings());
  CHECK(value(exact, "exact") == "true");
  CHECK(value(exact, "micro_shards") == "8");
  CHECK(value(exact, "global_batch_size") == "64");
  CHECK(find(exact, "fusion_mb") == nullptr);
  CHECK(find(exact, "wire_dtype") == nullptr);
  CHECK(find(exact, "summation") == nullptr);

  TrainSettings averaging;
  averaging.strategy = "model_averaging";
  averaging.usr_lib = "libmine.so";
  averaging.usr_lib_sha256 = std::string(64, 'a');
  CHECK(value(items(averaging), "sync_every") == "100");
  CHECK(value(items(averaging), "usr_lib") == std::string(64, 'a'));
  CHECK(find(items(averaging), "fusion_mb") == nullptr);
  CHECK(value(items(averaging), "summation") == kSummation);

  CHECK(value(config_items({}, {}, {}, plan(16), {100}, ""), "training_blocks") == "16 in windows of 3");
  CHECK(value(config_items({}, {}, {}, plan(), {100, "abc"}, ""), "training_data") == "abc");
  CHECK(value(config_items({}, {}, HParams().set("strategy", std::string("own")), plan(), {100}, ""),
              "hparam_strategy") == "own");
  CHECK(value(config_items({}, {}, HParams().set("sizes", std::vector<std::int64_t>{3, 2}), plan(), {1}, ""),
              "sizes") == "[3, 2]");
}

TEST_CASE("result config: what is saved reads back") {
  for (const TrainSettings& settings : {TrainSettings(), exact_settings(), with_hparams("optimizer=a\"b\\c")}) {
    const auto all = items(settings);
    const SavedConfig back = saved_config(to_json(all, 5));
    CHECK(back.ranks == 5);
    REQUIRE(back.items.size() == all.size());
    for (const ConfigItem& item : all) {
      const ConfigItem* const found = find(back.items, item.name);
      REQUIRE(found != nullptr);
      CHECK(found->value == item.value);
      CHECK(found->same_world_only == item.same_world_only);
    }
    CHECK(check_config(back, all, defaults(), 5, {}, "c").empty());
  }
  const std::vector<ConfigItem> broken{{"optimizer", "\xff"}};
  CHECK_THROWS_AS(to_json(broken, 1), Error);
}

TEST_CASE("result config: JSON of another form is refused") {
  for (const char* text :
       {"", "3", "{}", "[]", R"({"ranks":2})", R"({"ranks":0,"on_any_ranks":{},"on_these_ranks":{}})",
        R"({"ranks":4294967297,"on_any_ranks":{},"on_these_ranks":{}})",
        R"({"ranks":2.0,"on_any_ranks":{},"on_these_ranks":{}})", R"({"ranks":2,"on_any_ranks":{}})",
        R"({"ranks":2,"on_any_ranks":[],"on_these_ranks":{}})",
        R"({"ranks":2,"on_any_ranks":{"a":1},"on_these_ranks":{}})",
        R"({"ranks":2,"on_any_ranks":{"a":"1"},"on_these_ranks":{"a":"2"}})",
        R"({"ranks":2,"on_any_ranks":{},"on_these_ranks":{},"batches":3})",
        R"({"ranks":2,"on_any_ranks":{},"on_these_ranks":{},"batches":{"global_batch":8}})",
        R"({"ranks":2,"on_any_ranks":{},"on_these_ranks":{},)"
        R"("batches":{"global_batch":8,"since_step":-1,"since_epoch":0,"since_consumed":0}})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(saved_config(text), JsonError);
  }
}

TEST_CASE("result config: since when the batches are what they are reads back") {
  const SavedBatches batches{.global_batch = 128, .since = {.step = 20, .epoch = 1, .consumed = 5}};
  CHECK(saved_config(to_json(items({}), 2, batches)).batches == batches);
  CHECK(!saved_config(to_json(items({}), 2)).batches);
}

TEST_CASE("result config: of many changes the first are named, and no flag that a message cannot hold") {
  SavedConfig many = saved({}, 2);
  for (int i = 0; i < 100'000; ++i) many.items.push_back({"h" + std::to_string(i), "1"});
  const auto refusal_of = [](const SavedConfig& before) {
    try {
      check_config(before, items({}), defaults(), 2, {}, "out/model.ckpt-7.h5");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string message = refusal_of(many);
  CHECK(message.find("\n    h19: '1' there, not set here\n    and 99980 more\n") != std::string::npos);
  CHECK(message.ends_with("give another --output_dir"));

  SavedConfig odd = saved({}, 2);
  odd.items.push_back({"a\x1b[31m,b", "1"});
  CHECK(refusal_of(odd).ends_with("give another --output_dir"));
  odd.items.back().name = std::string(60'000, 'n');
  CHECK(refusal_of(odd).size() < 1000);

  Json::Object members;  // reading takes time linear in their number
  for (int i = 0; i < 100'000; ++i) members.emplace_back("h" + std::to_string(i), "1");
  const Json json = Json::Object{{"ranks", 1}, {"on_any_ranks", members}, {"on_these_ranks", Json::Object()}};
  CHECK(saved_config(json.text()).items.size() == 100'000);
}

TEST_CASE("result config: every difference is named with both values and what to do") {
  TrainSettings before = with_hparams("hidden_size=64");
  before.ema = 0.5;
  TrainSettings now = with_hparams("learning_rate=0.25");
  now.seed = 2;
  now.hparams_set = "mlp";  // only the resolved values count
  CHECK(refusal(before, now) ==
        "'out/model.ckpt-7.h5' was written by a run that differs from this one in what changes the result:\n"
        "    random_seed: '1' there, '2' here\n"
        "    hidden_size: '64' there, '512' here\n"
        "    learning_rate: '0.001' there, '0.25' here\n"
        "    ema: '0.5' there, not set here\n"
        "  To continue that run, give its values again; to start another one, give another --output_dir; to resume "
        "from it with the new values, add --allow_changes=random_seed,hidden_size,learning_rate,ema");
  CHECK(refusal(now, before).find("    ema: not set there, '0.5' here\n") != std::string::npos);
}

TEST_CASE("result config: what no flag can cure is not offered") {
  TrainSettings now = with_hparams("hidden_size=64");
  try {
    check_config(saved({}, 2), items(now), defaults(), 2, {}, "out/model.ckpt-7.h5", Weights::of_another_model);
    FAIL("no error");
  } catch (const Error& error) {
    const std::string message = error.what();
    CHECK(error.code() == ExitCode::configuration);
    CHECK(message.find("\n    hidden_size: '512' there, '64' here\n") != std::string::npos);
    CHECK(message.find("--allow_changes") == std::string::npos);
    CHECK(
        message.ends_with("give another --output_dir. Its weights are of another model, which this one cannot resume "
                          "from"));
  }
}

TEST_CASE("result config: of another model's differences, those of hparams are counted only") {
  TrainSettings now;
  now.model = "linear";
  try {
    check_config(saved({}, 2), items(now), defaults(), 2, {}, "out/model.ckpt-7.h5", Weights::of_another_model);
    FAIL("no error");
  } catch (const Error& error) {
    const std::string message = error.what();
    CHECK(message.find("\n    model: 'mlp' there, 'linear' here\n") != std::string::npos);
    CHECK(message.find("hidden_size") == std::string::npos);
    CHECK(message.find(" more\n") != std::string::npos);
  }
}

TEST_CASE("result config: names that no run has are refused, also where there is no checkpoint") {
  const auto check = [](const std::vector<std::string>& allowed) { check_allowed_names({}, items({}), allowed); };
  CHECK_NOTHROW(check({}));
  CHECK_NOTHROW(check({"learning_rate", "ema", "training_data", "hidden_size"}));
  CHECK_THROWS_WITH_AS(check({"foo"}), doctest::Contains("nothing of a run has the name 'foo'"), Error);
  CHECK_THROWS_WITH_AS(check({"learning_rat"}), doctest::Contains("did you mean 'learning_rate'"), Error);
}

TEST_CASE("result config: each thing that changes the result is found") {
  const auto differs = [](const char* name, auto change) {
    TrainSettings now;
    change(now);
    CAPTURE(name);
    CHECK(refusal({}, now).find(std::string("\n    ") + name + ": ") != std::string::npos);
  };
  differs("problem", [](TrainSettings& now) { now.problem = "image_mnist"; });
  differs("model", [](TrainSettings& now) { now.model = "linear"; });
  differs("random_seed", [](TrainSettings& now) { now.seed = 7; });
  differs("global_batch_size", [](TrainSettings& now) { now.global_batch_size = 7; });
  differs("strategy", [](TrainSettings& now) { now.strategy = "model_averaging"; });
  differs("sync_every", [](TrainSettings& now) {
    now.strategy = "model_averaging";
    now.sync_every = 7;
  });
  differs("exact", [](TrainSettings& now) { now = exact_settings(); });
  differs("micro_shards", [](TrainSettings& now) {
    now = exact_settings();
    now.micro_shards = 7;
  });
  differs("fusion_mb", [](TrainSettings& now) { now.fusion_mb = 1; });
  differs("precision", [](TrainSettings& now) { now.precision = "bfloat16"; });
  differs("wire_dtype", [](TrainSettings& now) { now.wire_dtype = "bfloat16"; });
  differs("batch_size", [](TrainSettings& now) { now.hparams = "batch_size=1"; });
  differs("optimizer", [](TrainSettings& now) { now.hparams = "optimizer=sgd"; });
  differs("usr_lib", [](TrainSettings& now) { now.usr_lib = "libmine.so"; });

  TrainSettings before;
  before.usr_lib = "libmine.so";
  before.usr_lib_sha256 = std::string(64, 'a');
  TrainSettings now = before;
  now.usr_lib_sha256 = std::string(64, 'b');
  CHECK(refusal(before, now)
            .find("usr_lib: a library of SHA-256 aaaaaaaaaaaaaaaa... there, a library of SHA-256 "
                  "bbbbbbbbbbbbbbbb... here\n") != std::string::npos);
}

TEST_CASE("result config: more steps, other ranks and what is shown or saved are free") {
  TrainSettings now = with_hparams("train_steps=77");
  now.train_steps = 99;
  now.train_epochs = 3;
  now.log_every = 1;
  now.eval_frequency = 5;
  now.eval_steps = 6;
  now.output_dir = "elsewhere";
  now.data_dir = "moved";
  now.save_steps = 3;
  now.keep_checkpoints = 1;
  now.overlap = "thread";
  CHECK(refusal({}, now).empty());
  CHECK(refusal({}, {}, 5).empty());
}

TEST_CASE("result config: what decides the bits of a sum counts on the same number of ranks only") {
  const auto check = [](int ranks) {
    TrainSettings now;
    now.fusion_mb = 1;
    check_config(saved({}, 2), items(now, "shm"), defaults(), ranks, {}, "c");
  };
  CHECK_THROWS_AS(check(2), Error);
  CHECK_NOTHROW(check(3));
  CHECK_NOTHROW(check_config(saved(exact_settings(), 2), items(exact_settings(), "shm"), defaults(), 2, {}, "c"));
}

TEST_CASE("result config: changes that are allowed are reported, the others still refused") {
  TrainSettings now = with_hparams("learning_rate=0.25,hidden_size=64");
  now.ema = 0.5;
  const std::vector<std::string> all{"learning_rate", "hidden_size", "ema", "optimizer"};
  const auto lines = check_config(saved({}, 2), items(now), defaults(), 2, all, "c.h5");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "--allow_changes: ema was not set in 'c.h5' and is '0.5' from here on");
  CHECK(lines[2] == "--allow_changes: learning_rate was '0.001' in 'c.h5' and is '0.25' from here on");

  const std::string message = refusal({}, now, 2, {"learning_rate"});
  CHECK(message.find("learning_rate: ") == std::string::npos);
  CHECK(message.ends_with("--allow_changes=ema,hidden_size,learning_rate"));

  CHECK(refusal({}, now, 2, {"ema", "learning_rat"}, ExitCode::usage)
            .starts_with("--allow_changes=ema,learning_rat: nothing of a run has the name 'learning_rat' (did you mean "
                         "'learning_rate'?); "));
}

TEST_CASE("run config: a file that does not say what run it comes from is taken, which is said") {
  const SavedConfig another_programs = saved_config(R"({"ranks":1,"on_any_ranks":{},"on_these_ranks":{}})");
  for (const int ranks : {1, 3}) {
    const auto lines =
        check_config(another_programs, items(exact_settings()), defaults(), ranks, {}, "out/model.ckpt-7.h5");
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].find("'out/model.ckpt-7.h5' does not say what run it comes from") == 0);
  }
  const std::vector<std::string> misspelt{"learning_rat"};
  CHECK_THROWS_AS(check_config(another_programs, items({}), defaults(), 1, misspelt, "c"), Error);
}

TEST_CASE(
    "result config: the checksum of a text is compared where the checkpoint has one, that of its dev split warned of") {
  const auto of = [](const TrainingData& data) { return config_items({}, {}, {}, plan(), data, ""); };
  const TrainingData text{.samples = 100, .digest = "abc", .checksum = "def", .dev_checksum = "123"};
  const auto check = [&](const TrainingData& before, const TrainingData& now) {
    return check_config({.items = of(before), .ranks = 1}, of(now), {}, 1, {}, "c");
  };
  CHECK(check(text, text).empty());
  CHECK(check({.samples = 100, .digest = "abc"}, text).empty());  // from an older version
  TrainingData other = text;
  other.checksum = "dee";
  CHECK_THROWS_WITH_AS(check(text, other), doctest::Contains("training_data: 'abc-def' there, 'abc-dee' here"), Error);
  other = text;
  other.dev_checksum = "124";
  const auto lines = check(text, other);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with("the dev split has other samples than when 'c' was written"));
}

TEST_CASE("result config: a user's hparam may have the name of any item") {
  std::vector<std::string> names{"training_samples", "training_data", "training_blocks", "usr_lib", "summation"};
  for (const TrainSetting& setting : train_settings()) names.emplace_back(setting.name);
  HParams hparams;
  for (const std::string& name : names) {
    if (name != "train_steps") hparams.set(name, std::string("own"));
  }
  TrainSettings settings = exact_settings();
  settings.ema = 0.5;
  const auto in_use = settings_in_use(settings, builtin_registry());
  const auto all = config_items(settings, in_use, hparams, plan(16), {100, "abc"}, kSummation);
  const SavedConfig back = saved_config(to_json(all, 2));
  CHECK(back.items.size() == all.size());
  CHECK(check_config(back, all, defaults(), 2, {}, "c").empty());
}

TEST_CASE("result config: what decides the bits of a sum comes from the checkpoint of the same world") {
  TrainSettings before;
  before.fusion_mb = 0.5;
  const SavedConfig checkpoint = saved(before, 2);
  const auto filled = [&](TrainSettings settings, int ranks, const SavedConfig* from) {
    fill_in_bits(settings, from, ranks);
    return settings.fusion_mb;
  };
  CHECK(filled({}, 2, &checkpoint) == 0.5);
  CHECK(filled({}, 3, &checkpoint) == 4);
  CHECK(filled({}, 2, nullptr) == 4);
  CHECK(filled(exact_settings(), 2, &checkpoint) == 4);
  TrainSettings asked;
  asked.fusion_mb = 2;
  CHECK(filled(asked, 2, &checkpoint) == 2);
  SavedConfig broken = checkpoint;
  for (ConfigItem& item : broken.items) {
    if (item.name == "fusion_mb") item.value = "nan";
  }
  CHECK(filled({}, 2, &broken) == 4);
}

TEST_CASE("result config: what is to be measured stays so, unless the checkpoint of the same world has a value") {
  TrainSettings before;
  before.fusion_mb = 0.5;
  const SavedConfig checkpoint = saved(before, 2);
  const auto filled = [](int ranks, const SavedConfig* from) {
    TrainSettings settings;
    settings.fusion_mb.emplace().tune = true;
    fill_in_bits(settings, from, ranks);
    return settings.fusion_mb;
  };
  CHECK(filled(2, &checkpoint) == 0.5);
  CHECK(filled(3, &checkpoint)->tune);
  CHECK(filled(2, nullptr)->tune);
}

TEST_CASE("result config: what was measured is kept beside the items, and used again where it is left open") {
  const std::vector<MeasuredSetting> measured{{"overlap", "thread"}, {"fusion_mb", "0.5"}};
  const SavedConfig back = saved_config(to_json(items({}), 2, {}, measured));
  CHECK(back.measured == measured);
  CHECK(back.items.size() == items({}).size());
  CHECK(check_config(back, items({}), defaults(), 2, {}, "c").empty());
  CHECK(saved_config(to_json(items({}), 2)).measured.empty());
  CHECK_THROWS_AS(saved_config(R"({"ranks":2,"on_any_ranks":{},"on_these_ranks":{},"measured":[]})"), JsonError);
  CHECK_THROWS_AS(saved_config(R"({"ranks":2,"on_any_ranks":{},"on_these_ranks":{},"measured":{"overlap":1}})"),
                  JsonError);

  TrainSettings settings;
  CHECK(use_measured(settings, &back, 3).empty());
  CHECK(use_measured(settings, nullptr, 2).empty());
  CHECK(use_measured(settings, &back, 2) == measured);
  CHECK(settings.overlap == "thread");
  CHECK(settings.fusion_mb == 0.5);
  TrainSettings given;
  given.overlap = "inline";
  given.fusion_mb = 2;
  CHECK(use_measured(given, &back, 2).empty());
  CHECK(given.overlap == "inline");
  CHECK(given.fusion_mb == 2);
  const SavedConfig odd{.items = {}, .ranks = 2, .measured = {{"quiet", "true"}, {"none", "1"}, {"overlap", "often"}}};
  TrainSettings usual;
  CHECK(use_measured(usual, &odd, 2).empty());
  CHECK(usual == TrainSettings());
}

TEST_CASE("result config: the most batches of a step are kept where a step took several") {
  CHECK(saved_config(to_json(items({}), 2, {}, {}, 7)).most_batches_of_step == 7);
  CHECK(saved_config(to_json(items({}), 2, {}, {}, 65536)).most_batches_of_step == 65536);
  CHECK(saved_config(to_json(items({}), 2, {}, {}, 1)).most_batches_of_step == 1);
  CHECK(to_json(items({}), 2, {}, {}, 1) == to_json(items({}), 2));
  for (const std::string wrong : {"0", "-1", "65537", "2.5", "\"3\""}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(
        saved_config(R"({"ranks":2,"on_any_ranks":{},"on_these_ranks":{},"most_batches_of_a_step":)" + wrong + "}"),
        JsonError);
  }
}

TEST_CASE("result config: what gradients travel in comes from the checkpoint of the same world") {
  TrainSettings before;
  before.wire_dtype = "bfloat16";
  const SavedConfig checkpoint = saved(before, 2);
  const auto filled = [&](const std::string& asked, int ranks) {
    TrainSettings settings;
    settings.wire_dtype = asked;
    fill_in_bits(settings, &checkpoint, ranks);
    return wire_dtype_of(settings);
  };
  CHECK(filled("", 2) == DType::bfloat16);
  CHECK(filled("", 3) == DType::float32);
  CHECK(filled("float16", 2) == DType::float16);
  CHECK(refusal(before, {}).find("\n    wire_dtype: 'bfloat16' there, 'float32' here\n") != std::string::npos);
  CHECK(refusal(before, {}, 3).empty());
}

TEST_CASE("config.json: one flag a line") {
  TrainSettings settings;
  settings.model = "linear";
  settings.train_steps = 7;
  settings.output_dir = "out \"here\"";
  settings.eval_frequency = 1000;
  settings.save_time = std::chrono::seconds(600);
  settings.keep_checkpoints = 20;
  settings.stop_after = std::chrono::seconds(90);
  settings.ema = 0.5;
  HParams hparams;
  hparams.set("a", std::int64_t{1}).set("b", std::vector<double>{2, 0.5});
  const StartNote start{.ranks = 3, .global_batch = 384};
  CHECK(config_json(settings, settings_in_use(settings, builtin_registry()), hparams, start) == R"({
  "start": {"version":")" LOCKSTEP_VERSION R"(","ranks":3,"global_batch":384},
  "problem": "image_shapes",
  "model": "linear",
  "train_steps": 7,
  "local_eval_frequency": 1000,
  "random_seed": 1,
  "ema": 0.5,
  "strategy": "sync",
  "collective": "auto",
  "overlap": "auto",
  "hang_timeout": 60,
  "device": "auto",
  "precision": "float32",
  "output_dir": "out \"here\"",
  "save_checkpoints_secs": 600,
  "keep_checkpoint_max": 20,
  "histogram_every": 0,
  "log_every": 100,
  "hparams": {
    "a": 1,
    "b": [2.0,0.5]
  }
}
)");
  CHECK_NOTHROW(static_cast<void>(parse_json(config_json({}, settings_in_use({}, builtin_registry()), {}, {}))));

  settings.data_dir = "\xff";
  try {
    static_cast<void>(config_json(settings, settings_in_use(settings, builtin_registry()), hparams, start));
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::configuration);
    CHECK(std::string(error.what()).starts_with("the value of --data_dir is not UTF-8"));
  }
}

TEST_CASE("result config: a setting of a strategy is compared if both runs' strategies have it") {
  const Registry registry = builtin_registry();
  const auto both = [&](std::string_view setting, const char* a, const char* b) {
    CHECK(both_have(setting, a, b, registry) == both_have(setting, b, a, registry));
    return both_have(setting, a, b, registry);
  };
  CHECK(both("fusion_mb", "sync", "central_storage"));
  CHECK(both("sync_every", "model_averaging", "model_averaging"));
  CHECK(both("learning_rate", "sync", "parameter_server"));  // is no strategy's
  CHECK_FALSE(both("fusion_mb", "sync", "model_averaging"));
  CHECK_FALSE(both("max_staleness", "sync", "parameter_server"));
  CHECK_FALSE(both("sync_every", "sync", "parameter_server"));  // has neither
  CHECK_FALSE(both("fusion_mb", "sync", "of_a_library"));
  CHECK(both("learning_rate", "sync", "of_a_library"));
}

TEST_CASE("result config: a file of an older version lacks settings and hparams that were added since") {
  const auto without = [](std::string_view name) {
    SavedConfig older = saved({}, 2);
    REQUIRE(std::erase_if(older.items, [&](const ConfigItem& item) { return item.name == name; }) == 1);
    return older;
  };
  const auto check = [](const SavedConfig& older, const TrainSettings& now) {
    return check_config(older, items(now), defaults(), 2, {}, "c");
  };
  TrainSettings coarse;
  coarse.fusion_mb = 2;
  TrainSettings narrow;
  narrow.wire_dtype = "float16";
  for (const auto& [name, other] : {std::pair{"fusion_mb", coarse},
                                    {"wire_dtype", narrow},
                                    {"optimizer", with_hparams("optimizer=sgd")},
                                    {"hidden_size", with_hparams("hidden_size=7")}}) {
    CAPTURE(name);
    CHECK(check(without(name), {}).empty());
    CHECK_THROWS_AS(check(without(name), other), Error);
  }
}

}  // namespace lockstep
