// Runs that write the order of their updates, and runs that repeat it.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ps/read_update_log.h"
#include "served_part.h"
#include "support/check_error.h"
#include "train/served/update_order.h"

namespace lockstep {
namespace {

TrainSettings logged_settings(const std::string& folder) {
  TrainSettings settings = served_settings(folder);
  settings.hparams = "hidden_size=24,dropout=0.1,learning_rate=0.05,optimizer=momentum";
  settings.train_steps = 40;
  settings.ps_log = true;
  return settings;
}

void run(const TrainSettings& settings, int workers, int servers) {
  for_thread_ranks(workers + servers, [&](RankContext& context) {
    const ServedEnd end = run_part(context, settings, servers);
    CHECK(end.code == ExitCode::done);
  });
}

// The largest staleness in a log: of an update, that of its oldest gradient.
std::int64_t largest_staleness(const RecordedUpdates& log) {
  std::map<std::int64_t, std::int64_t> pulled;  // updates before the values of each batch
  std::vector<std::int64_t> added;
  std::int64_t largest = 0;
  for (const PsMessage& command : log.commands) {
    if (command.kind == PsMessage::Kind::deliver) pulled[command.batch] = command.number;
    if (command.kind == PsMessage::Kind::add) added.push_back(command.batch);
    if (command.kind != PsMessage::Kind::update) continue;
    for (const std::int64_t batch : added) largest = std::max(largest, command.number - 1 - pulled.at(batch));
    added.clear();
  }
  return largest;
}

}  // namespace

TEST_CASE("a replay ends with the same parameters, on any number of servers") {
  for (const std::int64_t sum : {1, 3}) {
    CAPTURE(sum);
    const TemporaryFolder folder;
    TrainSettings settings = logged_settings(folder.path());
    settings.sum_updates = sum;
    run(settings, 3, 2);
    const std::string expected = text_at_end(folder.path(), "parameters_sha256");
    REQUIRE(expected.size() == 64);
    settings.ps_replay = update_log_path(folder.path(), 0);
    const RecordedUpdates log = read_update_log(settings.ps_replay);
    CHECK(log.header.options == SequencerOptions{.clients = 3, .sum = static_cast<int>(sum), .last_update = 40});
    CHECK(log.header.servers == 2);
    for (const int servers : {1, 2, 2}) {
      const TemporaryFolder again;
      settings.output_dir = again.path();
      settings.max_staleness = servers;  // plays no part
      run(settings, 3, servers);
      CHECK(text_at_end(again.path(), "parameters_sha256") == expected);
      const RecordedUpdates repeated = read_update_log(update_log_path(again.path(), 0));
      CHECK(repeated.header.options == log.header.options);
      CHECK(repeated.header.batches == log.header.batches);
    }
  }
}

TEST_CASE("a run that resumes begins another log, which is replayed from that step") {
  const TemporaryFolder folder;
  const TemporaryFolder again;
  TrainSettings settings = logged_settings(folder.path());
  settings.ps_log = false;
  settings.train_steps = 10;
  settings.max_staleness = 0;  // so that both folders hold the same state
  run(settings, 2, 1);
  settings.output_dir = again.path();
  run(settings, 2, 1);
  settings.max_staleness.reset();
  settings.allow_changes = {"max_staleness"};
  settings.train_steps = 30;
  settings.ps_log = true;
  settings.output_dir = folder.path();
  run(settings, 3, 1);
  const std::string log = update_log_path(folder.path(), 10);
  CHECK(read_update_log(log).header.options.first_update == 10);
  settings.output_dir = again.path();
  settings.ps_replay = log;
  run(settings, 3, 1);
  CHECK(text_at_end(again.path(), "parameters_sha256") == text_at_end(folder.path(), "parameters_sha256"));
}

TEST_CASE("no gradient of a log is staler than the bound") {
  for (const std::int64_t bound : {0, 1, 3}) {
    for (const std::int64_t sum : {1, 2}) {
      CAPTURE(bound);
      CAPTURE(sum);
      const TemporaryFolder folder;
      TrainSettings settings = logged_settings(folder.path());
      settings.max_staleness = bound;
      settings.sum_updates = sum;
      run(settings, 4, 1);
      CHECK(largest_staleness(read_update_log(update_log_path(folder.path(), 0))) <= bound);
    }
  }
}

TEST_CASE("a run that is not the log's is refused with both values, and so is the log's own place") {
  const TemporaryFolder folder;
  TrainSettings settings = logged_settings(folder.path());
  settings.train_steps = 5;
  run(settings, 2, 1);
  const std::string log = update_log_path(folder.path(), 0);
  const auto check_refused = [&](const TrainSettings& now, int workers, ExitCode code, const std::string& why) {
    check_error(code, {why}, [&] { run(now, workers, 1); });
  };
  const TemporaryFolder empty;
  settings.output_dir = empty.path();
  settings.ps_replay = log;
  check_refused(settings, 3, ExitCode::configuration, "number of clients is 2, that of this run is 3");
  TrainSettings other = settings;
  other.sum_updates = 2;
  check_refused(other, 2, ExitCode::configuration, "number of gradients in an update is 1, that of this run is 2");
  other = settings;
  other.global_batch_size = 50;
  check_refused(other, 2, ExitCode::configuration, "digest of the batches is ");
  other = settings;
  other.seed = 5;
  check_refused(other, 2, ExitCode::configuration, "seed is 1, that of this run is 5");
  other = settings;
  other.output_dir = folder.path();
  other.train_steps = 6;
  check_refused(other, 2, ExitCode::configuration, "first update is 0, that of this run is 5");
  other = settings;
  other.ps_replay = folder / "none.jsonl";
  check_refused(other, 2, ExitCode::missing_input, "none.jsonl");
  other.ps_replay = folder / "metrics.jsonl";
  check_refused(other, 2, ExitCode::bad_data, "this is not an update log");

  std::filesystem::copy(log, empty / "ps_log.0.jsonl");
  other = settings;
  other.ps_replay = empty / "ps_log.0.jsonl";
  check_refused(other, 2, ExitCode::configuration, "is the file that --ps_log writes");
}

}  // namespace lockstep
