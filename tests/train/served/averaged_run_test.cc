// Runs whose parameter servers keep the moving average of the values (--ema).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <string>
#include <utility>

#include "checkpoint/decoder.h"
#include "served_part.h"

namespace lockstep {
namespace {

TrainSettings averaged_settings() {
  TrainSettings settings = small_settings();
  settings.hparams =
      "hidden_size=24,dropout=0.1,clip_grad_norm=0.5,optimizer=momentum,learning_rate=0.1,"
      "learning_rate_schedule=constant";
  settings.ema = 0.9;
  settings.allow_changes = {"strategy", "ema"};
  return settings;
}

void run_alone(TrainSettings settings, const std::string& folder, std::int64_t steps) {
  settings.output_dir = folder;
  settings.train_steps = steps;
  train_alone(settings);
}

void run_with_servers(TrainSettings settings, const std::string& folder, std::int64_t steps, int ranks = 3,
                      int servers = 1) {
  settings.strategy = "parameter_server";
  settings.max_staleness = 0;
  settings.output_dir = folder;
  settings.train_steps = steps;
  for_thread_ranks(ranks, [&](RankContext& context) { run_part(context, settings, servers); });
}

// The loss of the last evaluation in a run's metrics.
std::string evaluated_loss(const std::string& folder) {
  std::ifstream stream(folder + "/metrics.jsonl");
  std::string last;
  for (std::string line; std::getline(stream, line);) {
    if (line.find("\"kind\": \"eval\"") != std::string::npos) last = line;
  }
  const std::size_t begin = last.find("\"loss\":");
  REQUIRE(begin != std::string::npos);
  return last.substr(begin, last.find(',', begin) - begin);
}

// Checks that two runs have saved the same state at a step, the average too, and evaluated it alike.
void check_same_average(const std::string& folder, const std::string& expected, std::int64_t step,
                        std::int64_t updates) {
  const auto file = fmt::format("/model.ckpt-{}.h5", step);
  const CheckpointDecoder mine(folder + file);
  const CheckpointDecoder theirs(expected + file);
  ParameterTable table;
  for (const auto& [name, extents] : theirs.variables()) table.add(name, Shape(extents), true);
  const StateLayout layout{.table = &table, .slots = theirs.slots(), .average = true};
  const StateArrays arrays = mine.read(layout);
  const StateArrays others = theirs.read(layout);
  CHECK(arrays.average == others.average);
  CHECK(arrays.average != arrays.parameters);
  CHECK(arrays.parameters == others.parameters);
  CHECK(arrays.slots == others.slots);
  CHECK(mine.header().ema_updates == updates);
  CHECK(theirs.header().ema_updates == updates);
  CHECK(evaluated_loss(folder) == evaluated_loss(expected));
}

}  // namespace

TEST_CASE("without staleness the servers' average has the bits of one rank's") {
  const TrainSettings settings = averaged_settings();
  const TemporaryFolder expected;
  run_alone(settings, expected.path(), 20);
  for (const auto& [ranks, servers] : {std::pair(2, 1), std::pair(4, 1), std::pair(5, 3)}) {
    for (const std::string transport : {"rma", "p2p"}) {
      CAPTURE(ranks);
      CAPTURE(transport);
      const TemporaryFolder folder;
      TrainSettings served = settings;
      served.ps_transport = transport;
      served.eval_frequency = 6;  // cuts in between leave the average alone
      run_with_servers(served, folder.path(), 20, ranks, servers);
      check_same_average(folder.path(), expected.path(), 20, 20);
    }
  }
}

TEST_CASE("an average goes on from a run without servers to one with them, and back") {
  const TrainSettings settings = averaged_settings();
  const TemporaryFolder expected;
  const TemporaryFolder folder;
  run_alone(settings, expected.path(), 20);
  run_alone(settings, folder.path(), 7);
  run_with_servers(settings, folder.path(), 13);
  run_alone(settings, folder.path(), 20);
  check_same_average(folder.path(), expected.path(), 20, 20);
}

TEST_CASE("an average begins with the values of a checkpoint that has none, and with those of a warm start") {
  const TrainSettings settings = averaged_settings();
  TrainSettings plain = settings;
  plain.ema.reset();
  const TemporaryFolder expected;
  const TemporaryFolder folder;
  for (const std::string& path : {expected.path(), folder.path()}) run_alone(plain, path, 7);
  TrainSettings warm = settings;
  warm.warm_start_from = expected / "model.ckpt-7.h5";
  warm.allow_changes.clear();
  const TemporaryFolder expected_warm;
  const TemporaryFolder folder_warm;
  run_alone(warm, expected_warm.path(), 9);
  run_with_servers(warm, folder_warm.path(), 9);
  check_same_average(folder_warm.path(), expected_warm.path(), 9, 9);
  run_alone(settings, expected.path(), 20);
  run_with_servers(settings, folder.path(), 20);
  check_same_average(folder.path(), expected.path(), 20, 13);
}

TEST_CASE("with sums the average moves once in an update, not in a gradient") {
  TrainSettings settings = averaged_settings();
  settings.sum_updates = 2;
  const TemporaryFolder expected;
  const TemporaryFolder folder;
  run_with_servers(settings, expected.path(), 10, 2, 1);
  run_with_servers(settings, folder.path(), 10, 5, 2);
  check_same_average(folder.path(), expected.path(), 10, 10);
}

}  // namespace lockstep
