#include "train/config/agreement.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/host_name.h"
#include "data/shard_plan.h"
#include "support/another_value.h"
#include "support/check_error.h"
#include "support/given_problem.h"
#include "support/ranks.h"
#include "train/config/data_digest.h"

namespace lockstep {

TEST_CASE("ranks that agree go on") {
  for_ranks([](Communicator& world) {
    const std::vector<AgreedItem> items{{"short", "1"}, {"long", std::string(5000, 'x')}, {"empty", ""}};
    CHECK_NOTHROW(check_agreement(world, items));
  });
}

TEST_CASE("the first thing that differs is named with a rank and both values") {
  for_ranks([](Communicator& world) {
    if (world.size() < 2) return;
    const bool last = world.rank() == world.size() - 1;
    const std::vector<AgreedItem> items{
        {"same", "1"}, {"samples", last ? "59900" : "60000"}, {"also", last ? "a" : "b"}};
    try {
      check_agreement(world, items);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::configuration);
      CHECK(error.scope() == Scope::every_rank);
      const std::string expected = fmt::format("samples is '60000' on rank 0 ({0}) and '59900' on rank {1} ({0});",
                                               host_name(), world.size() - 1);
      CHECK_MESSAGE(std::string(error.what()).find(expected) != std::string::npos, error.what());
    }
  });
}

TEST_CASE("values that are too long to send differ by their digest") {
  for_ranks([](Communicator& world) {
    if (world.size() < 2) return;
    const std::string text = std::string(5000, 'x') + (world.rank() == 0 ? "a" : "b");
    const std::vector<AgreedItem> items{{"long", text}};
    CHECK_THROWS_AS(check_agreement(world, items), Error);
  });
}

namespace {

// Returns the message that names the difference between the last rank, which got other settings or hparams, and the
// rest.
std::string disagreement(Communicator& world, const TrainSettings& others, const HParams& other_hparams = {}) {
  const bool last = world.rank() == world.size() - 1;
  try {
    check_agreement(world, last ? job_items(others, other_hparams) : job_items({}, {}));
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::configuration);
    CHECK(error.scope() == Scope::every_rank);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("one rank with another value of any setting of the job is named with it and both values") {
  for_ranks([](Communicator& world) {
    if (world.size() < 2) return;
    for (const TrainSetting& setting : train_settings()) {
      if (setting.field.index() == 0) continue;
      CAPTURE(setting.name);
      TrainSettings others;
      REQUIRE(assign(setting, another_value(setting), others) == "");
      const std::string message = disagreement(world, others);
      CHECK(message.empty() == (setting.scope != SettingScope::job));
      if (message.empty()) continue;
      const std::string unset(setting.if_unset.empty() ? "not set" : setting.if_unset);  // a text for no value
      const std::string expected = "--" + std::string(setting.name) + " is '" +
                                   value_text(setting, {}).value_or(unset) + "' on rank 0 (" + host_name() + ") and '" +
                                   value_text(setting, others).value_or("") + "' on rank " +
                                   std::to_string(world.size() - 1) + " (";
      CHECK_MESSAGE(message.find(expected) != std::string::npos, message);
    }
  });
}

TEST_CASE("only a path, a device or what a rank shows may differ between ranks") {
  std::vector<std::string> free;
  for (const TrainSetting& setting : train_settings()) {
    if (setting.field.index() != 0 && setting.scope != SettingScope::job) free.emplace_back(setting.name);
  }
  // hparams are compared by their resolved values and names, libraries and data by their digests.
  CHECK(free == std::vector<std::string>{"data_dir", "hparams", "usr_lib", "warm_start_from", "checkpoint_path",
                                         "ps_replay", "device", "devices", "worker_gpu", "worker_id", "ps_gpu",
                                         "job_name", "task_index", "gpu_order", "quiet"});
}

TEST_CASE("hparams are compared one by one, also those that only one rank has") {
  for_ranks([](Communicator& world) {
    if (world.size() < 2) return;
    const std::string last = std::to_string(world.size() - 1);
    HParams one;
    one.set("batch_size", std::int64_t{3});
    CHECK(disagreement(world, {}, one)
              .find("hparam batch_size is '(not there)' on rank 0 (" + host_name() + ") and '3' on rank " + last) !=
          std::string::npos);
    TrainSettings library;
    library.usr_lib_sha256 = "abc";
    CHECK(disagreement(world, library).find("the SHA-256 of --usr_lib is '' on rank 0 (") != std::string::npos);
  });
}

namespace {

// Ten samples in each split; in one split a label in the middle may differ.
GivenProblem labels(std::optional<Split> changed = {}) {
  const auto read = [changed](Split split, std::int64_t sample, const SampleSlot& slot) {
    slot.input[0] = static_cast<float>(sample);
    *slot.label = changed == split && sample == 6 ? 3 : 0;
  };
  return GivenProblem({.shape = {.input = {1}, .outputs = 5}, .train = 10, .dev = 10, .test = 10, .read = read});
}

}  // namespace

TEST_CASE("a rank whose file of a split differs in a single sample is found by the split's checksum") {
  const RunPlan plan{.batches = std::make_shared<ShardPlan>(ShardPlan::Options{.samples = 10, .global_batch = 2})};
  const auto items = [&](const Problem& problem) {
    return data_items(plan, problem, {.samples = 10, .digest = data_digest(problem, Split::train)}, "mpi");
  };
  for_ranks([&](Communicator& world) {
    if (world.size() < 2) return;
    const bool last = world.rank() == world.size() - 1;
    CHECK_NOTHROW(check_agreement(world, items(labels())));
    for (const auto& [split, name] :
         {std::pair{Split::train, "training"}, {Split::dev, "dev"}, {Split::test, "test"}}) {
      check_error(ExitCode::configuration, {fmt::format("the checksum of the {} samples is '", name)},
                  [&, split = split] { check_agreement(world, items(last ? labels(split) : labels())); });
    }
  });
}

}  // namespace lockstep
