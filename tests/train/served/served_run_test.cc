#include "train/served/served_run.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "served_part.h"
#include "support/check_error.h"
#include "train/served/update_order.h"

namespace lockstep {
namespace {

// The parameters of a run without servers.
std::string alone(TrainSettings settings) {
  settings.strategy = "sync";
  settings.max_staleness.reset();
  settings.output_dir.clear();
  return train_alone(settings).outcome.parameters_sha256;
}

TEST_CASE("with servers and no staleness, any number of ranks trains as one does, bit for bit") {
  for (const std::string optimizer : {"sgd", "adam", "adafactor"}) {
    CAPTURE(optimizer);
    TrainSettings given = small_settings();
    given.hparams = fmt::format("hidden_size=24,dropout=0.1,clip_grad_norm=0.5,optimizer={}", optimizer);
    const std::string expected = alone(given);
    for_rank_contexts([&](RankContext& context) {
      for (const int servers : {1, 2, 3}) {
        for (const std::string transport : {"rma", "p2p"}) {
          if (servers >= context.communicator.size()) continue;
          CAPTURE(servers);
          CAPTURE(transport);
          const SharedFolder folder(context.communicator);
          TrainSettings settings = served_settings(folder.path());
          settings.hparams = given.hparams;
          settings.max_staleness = 0;
          settings.ps_transport = transport;
          const ServedEnd end = run_part(context, settings, servers);
          CHECK(end.code == ExitCode::done);
          if (context.communicator.rank() == 0) CHECK(text_at_end(folder.path(), "parameters_sha256") == expected);
          meet(context.communicator);
        }
      }
    });
  }
}

TEST_CASE("a second thread that moves gradients changes no bit") {
  const std::string expected = alone(small_settings());
  for_rank_contexts([&](RankContext& context) {
    if (context.communicator.size() < 2) return;
    for (const std::string transport : {"rma", "p2p"}) {
      CAPTURE(transport);
      const SharedFolder folder(context.communicator);
      TrainSettings settings = served_settings(folder.path());
      settings.max_staleness = 0;
      settings.overlap = "thread";
      settings.ps_transport = transport;
      CHECK(run_part(context, settings, 1).code == ExitCode::done);
      if (context.communicator.rank() == 0) CHECK(text_at_end(folder.path(), "parameters_sha256") == expected);
      meet(context.communicator);
    }
  });
}

TEST_CASE("learning_rate_root_of_workers halves the rate of four ranks that train") {
  TrainSettings given = small_settings();
  given.hparams = "hidden_size=24,learning_rate=0.05";
  const std::string expected = alone(given);
  for_thread_ranks(5, [&](RankContext& context) {
    const SharedFolder folder(context.communicator);
    TrainSettings settings = served_settings(folder.path());
    settings.hparams = "hidden_size=24,learning_rate=0.1,learning_rate_root_of_workers=True";
    settings.max_staleness = 0;
    run_part(context, settings, 1);
    if (context.communicator.rank() == 0) CHECK(text_at_end(folder.path(), "parameters_sha256") == expected);
    meet(context.communicator);
  });
}

TEST_CASE("without a bound, ranks with servers make every step of the run, and learn") {
  for_rank_contexts([&](RankContext& context) {
    if (context.communicator.size() < 2) return;
    const SharedFolder folder(context.communicator);
    TrainSettings settings = served_settings(folder.path());
    settings.train_steps = 200;
    CHECK(run_part(context, settings, 1).code == ExitCode::done);
    if (context.communicator.rank() == 0) {
      std::ifstream stream(folder.path() + "/metrics.jsonl");
      const std::string metrics{std::istreambuf_iterator<char>(stream), {}};
      for (const std::string part : {"\"step\": 200", "\"updates_per_second\": ", "\"staleness_mean\": ",
                                     "\"steps_by_rank/0\": ", "\"server_busy/0\": "}) {
        CAPTURE(part);
        CHECK(metrics.find(part) != std::string::npos);
      }
      CHECK(folder.has("model.ckpt-200.h5"));
    }
    meet(context.communicator);
  });
}

// Returns the steps of the lines of metrics of this kind.
std::vector<std::int64_t> steps_of_lines(const std::string& folder, const std::string& kind) {
  std::ifstream stream(folder + "/metrics.jsonl");
  std::vector<std::int64_t> steps;
  for (std::string line; std::getline(stream, line);) {
    if (line.find(kind) == std::string::npos) continue;
    steps.push_back(std::stoll(line.substr(line.find("\"step\": ") + 8)));
  }
  return steps;
}

TEST_CASE("no evaluation that falls due while others make steps is lost") {
  for_thread_ranks(5, [](RankContext& context) {
    const SharedFolder folder(context.communicator);
    TrainSettings settings = served_settings(folder.path());
    settings.train_steps = 1200;
    settings.save_steps = 45;
    settings.eval_frequency = 100;
    run_part(context, settings, 1);
    if (context.communicator.rank() == 0) {
      const std::vector<std::int64_t> evaluated = steps_of_lines(folder.path(), "\"kind\": \"eval\"");
      for (const std::int64_t saved : steps_of_lines(folder.path(), "\"event\": \"saved\"")) {
        CAPTURE(saved);
        const auto in_the_same_hundred = [&](std::int64_t step) { return step <= saved && step / 100 == saved / 100; };
        CHECK((saved < 100 || std::ranges::any_of(evaluated, in_the_same_hundred)));
      }
    }
    meet(context.communicator);
  });
}

TEST_CASE("a run with servers resumes from a checkpoint of one without, and the other way round") {
  TrainSettings whole = small_settings();
  whole.hparams = "hidden_size=24,dropout=0.1,optimizer=momentum,learning_rate=0.1,learning_rate_schedule=constant";
  const std::string expected = alone(whole);
  for_thread_ranks(4, [&](RankContext& context) {
    const SharedFolder folder(context.communicator);
    TrainSettings settings = served_settings(folder.path());
    settings.hparams = whole.hparams;
    settings.max_staleness = 0;
    settings.allow_changes = {"strategy"};
    TrainSettings sync = settings;
    sync.strategy = "sync";
    sync.max_staleness.reset();
    sync.train_steps = 7;
    if (context.communicator.rank() == 0) train_alone(sync);
    meet(context.communicator);
    settings.train_steps = 13;
    run_part(context, settings, 2);
    sync.train_steps = 20;
    if (context.communicator.rank() == 0) CHECK(train_alone(sync).outcome.parameters_sha256 == expected);
    meet(context.communicator);
  });
}

TEST_CASE("a request to stop that reaches one rank only, whichever, ends the run with a checkpoint") {
  for_rank_contexts([&](RankContext& context) {
    for (int asked = 0; asked < context.communicator.size(); ++asked) {
      const int servers = (context.communicator.size() - 1) / 2 + 1;
      if (servers >= context.communicator.size()) continue;
      CAPTURE(asked);
      const std::atomic<bool> stop = true;
      const SharedFolder folder(context.communicator);
      TrainSettings settings = served_settings(folder.path());
      settings.train_steps = 1'000'000;
      const ServedEnd end = run_part(context, settings, servers, builtin_registry(), &stop, {}, asked);
      CHECK(end.stopped);
      CHECK(end.code == ExitCode::stopped);  // it would be done if nothing had been saved
      meet(context.communicator);
    }
  });
}

TEST_CASE("without room for a window auto takes messages, and rma ends the job with 78") {
  const std::string expected = alone(small_settings());
  for_thread_ranks(3, [&](RankContext& context) {
    const WindowRoom room{.folder = "/small", .free = 1 << 20};
    const SharedFolder folder(context.communicator);
    TrainSettings settings = served_settings(folder.path());
    settings.max_staleness = 0;
    CHECK(run_part(context, settings, 1, builtin_registry(), nullptr, room).code == ExitCode::done);
    if (context.communicator.rank() == 0) CHECK(text_at_end(folder.path(), "parameters_sha256") == expected);
    meet(context.communicator);
    settings.ps_transport = "rma";
    settings.output_dir.clear();
    check_error(ExitCode::configuration,
                {"--ps_transport=rma: /small has room for a window of 0.0 MB, and the servers need one of ",
                 "--ps_transport=p2p needs none there"},
                [&] { run_part(context, settings, 1, builtin_registry(), nullptr, room); });
  });
}

TEST_CASE("a replay of the order of the updates ends with the same parameters") {
  for_rank_contexts([&](RankContext& context) {
    if (context.communicator.size() < 2) return;
    const SharedFolder folder(context.communicator);
    const SharedFolder again(context.communicator);
    TrainSettings settings = served_settings(folder.path());
    settings.hparams = "hidden_size=24,dropout=0.1,optimizer=momentum";
    settings.ps_log = true;
    run_part(context, settings, 1);
    settings.ps_replay = update_log_path(folder.path(), 0);
    settings.output_dir = again.path();
    run_part(context, settings, 1);
    if (context.communicator.rank() == 0) {
      const std::string expected = text_at_end(folder.path(), "parameters_sha256");
      CHECK(expected.size() == 64);
      CHECK(text_at_end(again.path(), "parameters_sha256") == expected);
    }
    meet(context.communicator);
  });
}

}  // namespace
}  // namespace lockstep
