// Runs in which ranks add their updates to the servers' values by themselves.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "served_part.h"
#include "support/check_error.h"
#include "train/served/served_run.h"

namespace lockstep {
namespace {

TrainSettings added_settings(const std::string& folder) {
  TrainSettings settings = served_settings(folder);
  settings.ps_apply = "accumulate";
  return settings;
}

TEST_CASE("ranks that add their updates by themselves make every step of the run, and the run goes on in other ways") {
  for_thread_ranks(5, [](RankContext& context) {
    const bool is_chief = context.communicator.rank() == 0;
    const SharedFolder folder(context.communicator);
    TrainSettings settings = added_settings(folder.path());
    settings.allow_changes = {"strategy"};
    TrainSettings sync = settings;
    sync.strategy = "sync";
    sync.ps_apply = TrainSettings{}.ps_apply;
    sync.train_steps = 7;
    if (is_chief) train_alone(sync);
    meet(context.communicator);
    settings.train_steps = 40;
    settings.save_steps = 9;
    CHECK(run_part(context, settings, 2).code == ExitCode::done);
    if (is_chief) {
      CHECK(folder.has("model.ckpt-40.h5"));
      sync.train_steps = 50;
      CHECK(train_alone(sync).outcome.step == 50);
    }
    meet(context.communicator);
  });
}

TEST_CASE("one rank that adds its updates by itself learns as with sgd") {
  TrainSettings sync = small_settings();
  sync.train_steps = 30;
  const std::vector<double> expected = train_alone(sync).losses;
  for_thread_ranks(2, [&](RankContext& context) {
    const SharedFolder folder(context.communicator);
    TrainSettings settings = added_settings(folder.path());
    settings.train_steps = 30;
    CHECK(run_part(context, settings, 1).code == ExitCode::done);
    if (context.communicator.rank() != 0) return;
    TrainSettings more = sync;
    more.output_dir = folder.path();
    more.train_steps = 31;
    more.allow_changes = {"strategy"};
    sync.train_steps = 31;
    CHECK(train_alone(more).losses.back() == doctest::Approx(train_alone(sync).losses.back()).epsilon(1e-3));
  });
}

TEST_CASE("an update that needs more than its gradient cannot be added by ranks") {
  for_thread_ranks(2, [](RankContext& context) {
    TrainSettings settings = added_settings("");
    const auto refused = [&](const std::string& hparams, const std::string& message) {
      settings.hparams = hparams;
      check_error(ExitCode::configuration, {message}, [&] { run_part(context, settings, 1); });
    };
    refused("optimizer=momentum",
            "--ps_apply=accumulate: it works with plain SGD only, and the optimizer is momentum; give "
            "--hparams=optimizer=sgd, or --ps_apply=optimizer");
    refused("optimizer=sgd,weight_decay=0.5",
            "--ps_apply=accumulate: it works without weight decay only, and weight_decay is 0.5; give "
            "--hparams=weight_decay=0, or --ps_apply=optimizer");
  });
}

TEST_CASE("without room for the window --ps_apply=accumulate ends the job with 78") {
  for_thread_ranks(3, [](RankContext& context) {
    const WindowRoom room{.folder = "/small", .free = 1 << 10};
    check_error(ExitCode::configuration,
                {"--ps_apply=accumulate: /small has room for a window of 0.0 MB, and the servers need one of ",
                 "--ps_apply=optimizer needs none there"},
                [&] { run_part(context, added_settings(""), 1, builtin_registry(), nullptr, room); });
  });
}

}  // namespace
}  // namespace lockstep
