#include "train/config/check_attributes.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/hparams_json.h"
#include "data/missed_first_plan.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

constexpr std::int64_t kSamples = 100;

HParams some_hparams() {
  HParams hparams;
  hparams.set("learning_rate", 0.1).set("hidden_size", std::int64_t{24}).set("optimizer", std::string("adam"));
  return hparams;
}

struct Saved {
  std::string file = "model.ckpt-20.h5";
  CheckpointHeader header{};
  SavedConfig config{};
};

void check(const Saved& saved, const HParams& hparams, std::int64_t samples) {
  check_attributes({.file = saved.file, .header = saved.header, .config = saved.config}, hparams, samples);
}

// A run's checkpoint, consistent with itself.
Saved good() {
  Saved from;
  from.header = {.step = 20,
                 .seed = 7,
                 .model = "mlp",
                 .problem = "arrays",
                 .hparams = hparams_to_json(some_hparams()),
                 .cursor = {.step = 20, .epoch = 2, .consumed = 99}};
  from.config.ranks = 1;
  from.config.items = {{"model", "mlp"},
                       {"problem", "arrays"},
                       {"random_seed", "7"},
                       {std::string(kSamplesItem), std::to_string(kSamples)}};
  for (const ConfigItem& item : hparam_items(some_hparams())) from.config.items.push_back(item);
  return from;
}

void refused(const Saved& from, std::initializer_list<std::string> parts) {
  check_error(ExitCode::bad_data, {"'model.ckpt-20.h5'", "--output_dir"},
              [&] { check(from, some_hparams(), kSamples); });
  check_error(ExitCode::bad_data, parts, [&] { check(from, some_hparams(), kSamples); });
}

// A checkpoint written by another program, without a run.
Saved foreign(const std::string& hparams) {
  Saved from = good();
  from.config.items.clear();
  from.header.hparams = hparams;
  return from;
}

}  // namespace

TEST_CASE("attributes that agree are taken, also after changes that were allowed") {
  check(good(), some_hparams(), kSamples);
  check(good(), some_hparams().set("learning_rate", 0.2), kSamples / 2);
  check(foreign("{}"), some_hparams(), kSamples);
  check(foreign(R"({"learning_rate": 1})"), some_hparams(), kSamples);
}

TEST_CASE("what contradicts the saved configuration is refused, with both values") {
  Saved from = good();
  from.header.model = "linear";
  refused(from, {"attribute model", "'linear'", "'mlp'"});
  from = good();
  from.header.problem = "";
  refused(from, {"attribute problem", "'arrays'"});
  from = good();
  from.header.seed = ~std::uint64_t{0};
  refused(from, {"attribute random_seed", "'18446744073709551615'", "'7'"});
  from = good();
  from.header.hparams = R"({"learning_rate": 0.1, "hidden_size": 25, "optimizer": "adam"})";
  refused(from, {"attribute hparams", "hidden_size=25", "24"});
  from.header.hparams = R"({"learning_rate": 0.1, "hidden_size": 24, "optimizer": "adam", "zz": 1})";
  refused(from, {"attribute hparams", "zz=1"});
  from.header.hparams = "{}";
  refused(from, {"attribute hparams lacks hidden_size"});
  from.header.hparams = R"({"learning_rate": [[1]]})";
  refused(from, {"attribute hparams cannot be read"});
}

TEST_CASE("what the configuration of a run always has may not be left out of it") {
  for (const char* const name : {"model", "problem", "random_seed"}) {
    Saved from = good();
    std::erase_if(from.config.items, [&](const ConfigItem& item) { return item.name == name; });
    refused(from, {std::string("attribute ") + name, "attribute config says nothing of it"});
  }
}

TEST_CASE("a text is no number, though config has its letters, and train_steps is a number of steps") {
  Saved from = good();
  from.header.hparams = R"({"learning_rate": "0.1", "hidden_size": 24, "optimizer": "adam"})";
  refused(from, {"attribute hparams", "learning_rate", "a number is needed"});
  const auto with_steps = [](const std::string& steps) {
    Saved saved = good();
    saved.header.hparams =
        R"({"learning_rate": 0.1, "hidden_size": 24, "optimizer": "adam", "train_steps": )" + steps + "}";
    return saved;
  };
  check(with_steps("40"), some_hparams(), kSamples);
  refused(with_steps("\"abc\""), {"attribute hparams", "train_steps"});
  refused(with_steps("40.0"), {"attribute hparams", "train_steps"});
  refused(with_steps("-5"), {"attribute hparams says train_steps=-5"});

  // A number with a fraction of 0 is accepted for a whole one.
  from = good();
  from.header.hparams = R"({"learning_rate": 0.1, "hidden_size": 24.0, "optimizer": "adam"})";
  check(from, some_hparams(), kSamples);
  // A type that was changed together with the value, which the user has allowed.
  from = good();
  std::ranges::find(from.config.items, "hidden_size", &ConfigItem::name)->value = "0.5";
  from.header.hparams = R"({"learning_rate": 0.1, "hidden_size": 0.5, "optimizer": "adam"})";
  check(from, some_hparams(), kSamples);
}

TEST_CASE("hparams of a file that no run has written are ones that the run could parse") {
  refused(foreign(R"({"learning_rate": "abc"})"), {"attribute hparams", "learning_rate"});
  refused(foreign(R"({"learning_rat": 0.1})"), {"attribute hparams", "learning_rat"});
}

TEST_CASE("the place in the data lies within them") {
  Saved from = good();
  from.header.cursor.consumed = kSamples;
  refused(from, {"attribute consumed is 100", "100 samples"});
  from.header.cursor = {.step = 20, .epoch = 21, .consumed = 0};
  refused(from, {"attribute epoch is 21 after 20 steps; a step takes an epoch at most"});
  from.config.most_batches_of_step = 3;
  check(from, some_hparams(), kSamples);
  from.header.cursor.epoch = 60;
  check(from, some_hparams(), kSamples);
  from.header.cursor.epoch = 61;
  refused(from, {"attribute epoch is 61 after 20 steps; a step takes 3 epochs at most"});
  from = foreign("{}");
  from.header.cursor.consumed = 99;
  check_error(ExitCode::bad_data, {"attribute consumed is 99", "50 samples"}, [&] { check(from, some_hparams(), 50); });
}

TEST_CASE("missed batches count as steps on the way to the place in the data, and their samples lie within them") {
  Saved from = good();  // 20 steps, 2 epochs, 99 of 100 samples
  from.header.cursor.missed = {{99, 0}, {5}};
  check(from, some_hparams(), kSamples);
  check(from, some_hparams(), kSamples / 2);  // data that have shrunk since, which was allowed
  from.header.cursor.epoch = 22;
  check(from, some_hparams(), kSamples);
  from.header.cursor.epoch = 23;
  refused(from, {"attribute epoch is 23 after 22 steps"});
  from.header.cursor.epoch = 2;
  from.config.batches = SavedBatches{.global_batch = 33, .since = {.step = 14, .epoch = 0, .consumed = 67}};
  check(from, some_hparams(), kSamples);
  from.config.batches->since.step = 22;
  refused(from, {"attribute epoch"});
  from.config.batches->since = after_missed(from.header.cursor);
  check(from, some_hparams(), kSamples);
  from.config.batches->since.step = 23;
  refused(from, {"attribute config says batches", "since step 23"});
  from = good();
  from.header.cursor.missed = {{5}, {7, kSamples, 9}};
  refused(from, {"missed/samples holds sample 100", "there are 100"});
  from = foreign("{}");
  from.header.cursor = {.step = 20, .missed = {{49}}};
  check(from, some_hparams(), 50);
  from.header.cursor.missed = {{50}};
  check_error(ExitCode::bad_data, {"holds sample 50, and there are 50"}, [&] { check(from, some_hparams(), 50); });
}

TEST_CASE("the place in the data is the one that the batches since then lead to") {
  Saved from = good();  // 20 steps, 2 epochs, 99 of 100 samples
  const auto with = [&](std::int64_t batch, BatchCursor since) {
    from.config.batches = SavedBatches{.global_batch = batch, .since = since};
    return from;
  };
  check(with(33, {.step = 12, .epoch = 0, .consumed = 67}), some_hparams(), kSamples);
  check(with(7, from.header.cursor), some_hparams(), kSamples);
  refused(with(33, {}), {"attribute epoch", "batches of 33", "after step 20", "5 epochs and 0 samples", "2 and 99"});
  refused(with(98, {.step = 19, .epoch = 2, .consumed = 0}), {"attribute consumed", "2 epochs and 98 samples"});
  for (const std::int64_t batch : {std::int64_t{0}, std::int64_t{101}}) {
    refused(with(batch, {}), {"attribute config says batches of"});
  }
  refused(with(33, {.step = 21}), {"attribute config says batches", "since step 21"});
  refused(with(33, {.step = 1, .epoch = 2}), {"epoch 2"});
  from.config.most_batches_of_step = 2;  // of steps before
  from.header.cursor = {.step = 20, .epoch = 36, .consumed = 99};
  check(with(33, {.step = 18, .epoch = 36, .consumed = 33}), some_hparams(), kSamples);
  refused(with(33, {.step = 17, .epoch = 36}), {"attribute config says batches", "epoch 36"});
  refused(with(33, {.consumed = 100}), {"100 consumed"});
}

}  // namespace lockstep
