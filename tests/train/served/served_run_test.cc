#include "train/served/served_run.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "collective/messages.h"
#include "collective/self_communicator.h"
#include "support/check_error.h"
#include "tensor/backend.h"
#include "train/train_rank.h"

namespace lockstep {
namespace {

// The member of a text in the last line of a run's metrics.
std::string text_at_end(const std::string& folder, const std::string& name) {
  std::ifstream stream(folder + "/metrics.jsonl");
  std::string last;
  for (std::string line; std::getline(stream, line);) last = line;
  const std::string before = fmt::format("\"{}\": \"", name);
  const std::size_t at = last.find(before);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + before.size();
  return last.substr(begin, last.find('"', begin) - begin);
}

// Runs this rank's part of a job whose last `servers` ranks are servers. COLLECTIVE.
ServedEnd run_part(RankContext& context, const TrainSettings& settings, int servers) {
  Communicator& ranks = context.communicator;
  const auto backend = make_backend({});
  const auto alone = make_self_communicator(context.trace);
  Log log(ranks.rank(), ranks.size(), true);
  const ServedJob job{.ranks = ranks, .servers = servers, .make_messages = [&] { return make_messages(context); }};
  const bool serves = ranks.rank() >= ranks.size() - servers;
  const Role worker = ranks.rank() == 0 ? Role::chief : Role::worker;
  const Registry registry = builtin_registry();
  return run_served(settings, resolve_hparams(settings, registry), registry,
                    {.world = *alone,
                     .compute = *alone,
                     .backend = *backend,
                     .trace = context.trace,
                     .log = log,
                     .role = serves ? Role::parameter_server : worker,
                     .has_shares = !serves,
                     .served = &job});
}

TrainSettings served_settings(const std::string& folder) {
  TrainSettings settings = small_settings();
  settings.strategy = "parameter_server";
  settings.output_dir = folder;
  return settings;
}

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
        if (servers >= context.communicator.size()) continue;
        CAPTURE(servers);
        const SharedFolder folder(context.communicator);
        TrainSettings settings = served_settings(folder.path());
        settings.hparams = given.hparams;
        settings.max_staleness = 0;
        const ServedEnd end = run_part(context, settings, servers);
        CHECK(end.code == ExitCode::done);
        if (context.communicator.rank() == 0) CHECK(text_at_end(folder.path(), "parameters_sha256") == expected);
        meet(context.communicator);
      }
    });
  }
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
      CHECK(metrics.find("\"step\": 200") != std::string::npos);
      CHECK(folder.has("model.ckpt-200.h5"));
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
    settings.allow_changes = {"strategy", "max_staleness"};
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

}  // namespace
}  // namespace lockstep
