#include "train/config/check_attributes.h"

#include <doctest/doctest.h>

#include "base/hparams_json.h"
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

// What a run has saved, consistent with itself.
Saved good() {
  Saved from;
  from.header = {.step = 20,
                 .cursor = {.step = 20, .epoch = 2, .consumed = 99},
                 .seed = 7,
                 .model = "mlp",
                 .problem = "arrays",
                 .hparams = hparams_to_json(some_hparams())};
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

// As another program writes it, which knows of no run.
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

TEST_CASE("hparams of a file that no run has written are ones that the run could parse") {
  refused(foreign(R"({"learning_rate": "abc"})"), {"attribute hparams", "learning_rate"});
  refused(foreign(R"({"learning_rat": 0.1})"), {"attribute hparams", "learning_rat"});
}

TEST_CASE("the place in the data lies within them") {
  Saved from = good();
  from.header.cursor.consumed = kSamples;
  refused(from, {"attribute consumed is 100", "100 samples"});
  from.header.cursor = {.step = 20, .epoch = 21, .consumed = 0};
  refused(from, {"attribute epoch is 21 after 20 steps"});
  from = foreign("{}");
  from.header.cursor.consumed = 99;
  check_error(ExitCode::bad_data, {"attribute consumed is 99", "50 samples"}, [&] { check(from, some_hparams(), 50); });
}

}  // namespace lockstep
