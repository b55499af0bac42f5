#include "train/exchange/measure_exchange.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "checkpoint/decoder.h"
#include "support/temporary_folder.h"
#include "train/run_setup.h"
#include "train/train_rank.h"

namespace lockstep {
namespace {

// Gradients of 0.6 MB: buckets of 4 and of 0.25 MB differ.
TrainSettings tuned_settings(const std::string& more = "") {
  TrainSettings settings = small_settings();
  settings.hparams =
      "hidden_size=160,optimizer=adam,dropout=0.2,clip_grad_norm=0.5,learning_rate_schedule=constant" + more;
  settings.train_steps = 6;
  settings.eval_steps = 1;
  settings.ema = 0.9;
  return settings;
}

TrainSettings to_tune(TrainSettings settings) {
  settings.fusion_mb.emplace().tune = true;
  return settings;
}

void check_same_run(const RankContext& rank, const TrainSettings& settings) {
  const TestRun plain = train_rank(rank, settings);
  const TestRun tuned = train_rank(rank, to_tune(settings));
  CHECK(tuned.outcome.parameters_sha256 == plain.outcome.parameters_sha256);
  CHECK(tuned.outcome.evaluation["loss"].mean == plain.outcome.evaluation["loss"].mean);
  CHECK(tuned.losses == plain.losses);
}

}  // namespace

TEST_CASE("a run that measures first has the values of one that does not") {
  for (const int ranks : {1, 2, 3}) {
    for_thread_ranks(ranks, [&](RankContext& rank) {
      TrainSettings settings = tuned_settings();
      check_same_run(rank, settings);
      settings.shard_optimizer = true;
      check_same_run(rank, settings);
      settings.overlap = "thread";
      settings.wire_dtype = "bfloat16";
      check_same_run(rank, settings);
      settings = tuned_settings();
      settings.strategy = "central_storage";
      check_same_run(rank, settings);
      settings = tuned_settings(",optimizer_multistep_accumulate_steps=2,augment_shift=2");
      settings.overlap = "thread";
      check_same_run(rank, settings);
      settings.exact = true;
      check_same_run(rank, settings);
    });
  }
}

TEST_CASE("a rank without a share of the data takes part") {
  for_thread_ranks(3, [](RankContext& rank) {
    TrainSettings settings = tuned_settings();
    settings.exact = true;
    const bool has_shares = rank.communicator.rank() != 1;
    const TestRun plain = train_rank(rank, settings, builtin_registry(), nullptr, has_shares);
    const TestRun tuned = train_rank(rank, to_tune(settings), builtin_registry(), nullptr, has_shares);
    CHECK(tuned.outcome.parameters_sha256 == plain.outcome.parameters_sha256);
  });
}

TEST_CASE("the checkpoint keeps what was measured, and the same ranks use it again") {
  for (const bool exact : {false, true}) {
    const TemporaryFolder folder;
    for_thread_ranks(2, [&](RankContext& rank) {
      TrainSettings settings = tuned_settings();
      settings.exact = exact;
      const TestRun whole = train_rank(rank, settings);
      settings.output_dir = folder.path();
      settings.train_steps = 3;
      train_rank(rank, to_tune(settings));
      const auto saved = [&](int step) {
        return saved_config(CheckpointDecoder(fmt::format("{}/model.ckpt-{}.h5", folder.path(), step)).header().config);
      };
      const SavedConfig first = saved(3);
      REQUIRE(first.measured.size() == 1);
      CHECK(first.measured[0].name == "fusion_mb");
      const std::string size = first.measured[0].value;
      CHECK((size == "4" || size == "0.25"));
      const auto item = std::ranges::find(first.items, "fusion_mb", &ConfigItem::name);
      CHECK((item == first.items.end()) == exact);  // with --exact it does not decide the bits
      if (!exact) CHECK(item->value == size);
      meet(rank.communicator);
      settings.train_steps = 6;
      CHECK(train_rank(rank, to_tune(settings)).outcome.parameters_sha256 == whole.outcome.parameters_sha256);
      CHECK(saved(6).measured == first.measured);
    });
  }
}

TEST_CASE("overlap is measured where it is open, and the model's memory is empty afterwards") {
  for (const int ranks : {2, 3}) {
    for_thread_ranks(ranks, [](RankContext& context) {
      as_training_rank(context, [](const TrainingRank& rank) {
        const Registry registry = builtin_registry();
        TrainSettings settings = tuned_settings();
        settings.train_steps = 1 << 20;
        settings.fusion_mb = 0.25;
        settings.overlap = "thread";  // as open_exchange() leaves it
        const HParams hparams = resolve_hparams(settings, registry);
        RunSetup run = set_up_run(settings, hparams, registry, rank);
        run.open.overlap = true;
        const auto optimizer = registry.optimizers.find("adam").make(hparams);
        Allocator& memory = run.gradients->allocator();
        const ParameterStore parameters(run.workload.model->table(), memory, memory, DType::float32);
        const std::string line = choose_exchange(run.to_measure(), rank, *optimizer, 0, parameters);
        CAPTURE(line);
        CHECK(line.find(" steps measured in ") != std::string::npos);
        CHECK(line.starts_with("overlap: " + run.settings.overlap));
        CHECK(run.measured == std::vector<MeasuredSetting>{{"overlap", run.settings.overlap}});
        for (const Tensor& flat : {parameters.values(), parameters.gradients()}) {
          CHECK(std::ranges::all_of(flat.span<float>(), [](float value) { return value == 0; }));
        }
        run.gradients->close();
      });
    });
  }
}

TEST_CASE("what is left open, and what the checkpoint has said already") {
  for_thread_ranks(2, [](RankContext& context) {
    as_training_rank(context, [](const TrainingRank& rank) {
      const Registry registry = builtin_registry();
      std::vector<MeasuredSetting> used;
      TrainSettings settings = to_tune(tuned_settings());
      settings.overlap = "inline";
      OpenExchange open = open_exchange(settings, registry, rank, nullptr, used);
      CHECK(open.fusion_mb);
      CHECK_FALSE(open.overlap);
      CHECK(settings.fusion_mb == 4);

      const SavedConfig saved{.items = {}, .ranks = 2, .measured = {{"fusion_mb", "16"}, {"quiet", "true"}}};
      settings = to_tune(tuned_settings());
      settings.overlap = "inline";
      open = open_exchange(settings, registry, rank, &saved, used);
      CHECK_FALSE(open.any());
      CHECK(settings.fusion_mb == 16);
      CHECK_FALSE(settings.quiet);
      CHECK(used == std::vector<MeasuredSetting>{{"fusion_mb", "16"}});

      const SavedConfig of_three{.items = {}, .ranks = 3, .measured = {{"fusion_mb", "16"}}};
      settings = to_tune(tuned_settings());
      CHECK(open_exchange(settings, registry, rank, &of_three, used).fusion_mb);
      CHECK(used.empty());

      settings = tuned_settings();
      settings.strategy = "model_averaging";  // its meetings overlap with nothing
      CHECK_FALSE(open_exchange(settings, registry, rank, nullptr, used).any());
      CHECK(settings.overlap == "inline");
    });
  });
}

}  // namespace lockstep
