#include "train/run.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "collective/communication_thread.h"
#include "resumed_runs.h"
#include "support/check_error.h"
#include "support/given_problem.h"
#include "train_rank.h"

namespace lockstep {
namespace {

void check_close(const std::vector<double>& losses, const std::vector<double>& expected) {
  REQUIRE(losses.size() == expected.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    CAPTURE(i);
    CHECK(losses[i] == doctest::Approx(expected[i]).epsilon(1e-5));
  }
}

TEST_CASE("any number of ranks trains as one does, uneven and empty shares included") {
  for (std::int64_t batch : {40, 2}) {
    TrainSettings settings = small_settings();
    settings.global_batch_size = batch;
    const TestRun alone = train_alone(settings);
    REQUIRE(alone.losses.size() == 20);
    for_rank_contexts([&](RankContext& rank) {
      const TestRun run = train_rank(rank, settings);
      if (rank.communicator.rank() == 0) check_close(run.losses, alone.losses);
    });
  }
}

TEST_CASE("the last, shorter batch of an epoch counts by its samples") {
  TrainSettings settings = small_settings();
  settings.global_batch_size = 19999;  // of 20000: the second step has one sample
  settings.train_steps = 2;
  const TestRun alone = train_alone(settings);
  for_rank_contexts([&](RankContext& rank) {
    const TestRun run = train_rank(rank, settings);
    if (rank.communicator.rank() == 0) check_close(run.losses, alone.losses);
  });
}

TEST_CASE("gradients accumulated over several passes are those of one, for both strategies") {
  TrainSettings settings = small_settings();
  settings.global_batch_size = 360;  // three equal passes for 1, 2, 3, 4, 5 and 8 ranks
  const std::string clipped = settings.hparams + ",clip_grad_norm=0.5";
  const TestRun alone = train_alone(settings);
  settings.hparams = clipped;
  const TestRun alone_clipped = train_alone(settings);
  CHECK(alone_clipped.losses != alone.losses);
  for_rank_contexts([&](RankContext& rank) {
    TrainSettings mine = small_settings();
    mine.global_batch_size = 360;
    const std::string accumulate = ",optimizer_multistep_accumulate_steps=3";
    mine.hparams = clipped + accumulate;
    const TestRun sync = train_rank(rank, mine);
    mine.hparams = small_settings().hparams + accumulate;
    mine.strategy = "model_averaging";
    mine.sync_every = 1;
    const TestRun averaged = train_rank(rank, mine);
    if (rank.communicator.rank() != 0) return;
    check_close(sync.losses, alone_clipped.losses);
    check_close(averaged.losses, alone.losses);
  });
}

TEST_CASE("--train_epochs and --eval_steps: epochs of the plan, batches of the split") {
  TrainSettings settings = small_settings();
  settings.train_steps.reset();
  settings.train_epochs = 2;
  settings.global_batch_size = 7000;  // of 20000: three steps per epoch
  settings.eval_steps = 3;            // of 128 samples
  const TestRun run = train_alone(settings);
  CHECK(run.outcome.step == 6);
  CHECK(run.outcome.evaluation.samples == 3 * 128);
  settings.eval_steps = 1 << 20;
  CHECK(train_alone(settings).outcome.evaluation.samples == 2000);
}

TEST_CASE("--ema evaluates the moving average, and leaves training alone") {
  for_rank_contexts([&](RankContext& rank) {
    TrainSettings settings = small_settings();
    const TestRun plain = train_rank(rank, settings);
    settings.ema = 0.9;
    const TestRun averaged = train_rank(rank, settings);
    CHECK(averaged.outcome.parameters_sha256 == plain.outcome.parameters_sha256);
    CHECK(averaged.outcome.evaluation["loss"].mean != plain.outcome.evaluation["loss"].mean);
    settings.strategy = "model_averaging";
    settings.sync_every = 3;
    CHECK(train_rank(rank, settings).outcome.evaluation.samples == 2000);
  });
}

TEST_CASE("--exact gives the same bits for any ranks, bucket size and overlap") {
  TrainSettings settings = small_settings();
  settings.hparams = "hidden_size=24,optimizer=momentum,learning_rate=0.1,dropout=0.2";
  settings.exact = true;
  const TestRun alone = train_alone(settings);
  const std::string expected = alone.outcome.parameters_sha256;
  for_rank_contexts([&](RankContext& rank) {
    TrainSettings mine = settings;
    for (double fusion_mb : {0.001, 0.02, 4.0}) {
      mine.fusion_mb = fusion_mb;
      const TestRun run = train_rank(rank, mine);
      CHECK(run.outcome.parameters_sha256 == expected);
      CHECK(run.outcome.evaluation["loss"].mean == alone.outcome.evaluation["loss"].mean);
      if (rank.communicator.rank() == 0) CHECK(run.losses == alone.losses);
    }
    const auto threaded = make_communication_thread(rank.communicator.split(0, rank.communicator.rank()));
    const RankContext with_thread{*threaded, rank.trace, rank.page};
    CHECK(train_rank(with_thread, mine).outcome.parameters_sha256 == expected);
    threaded->close();
    mine.overlap = "thread";
    CHECK(train_rank(rank, mine).outcome.parameters_sha256 == expected);
    for (double fusion_mb : {0.02, 4.0}) {
      mine.fusion_mb = fusion_mb;
      mine.shard_optimizer = true;
      CHECK(train_rank(rank, mine).outcome.parameters_sha256 == expected);
      mine.shard_optimizer = false;
      if (rank.communicator.common_memory() == nullptr) continue;
      mine.strategy = "central_storage";
      CHECK(train_rank(rank, mine).outcome.parameters_sha256 == expected);
      mine.strategy = "sync";
    }
  });
}

TEST_CASE("--shard_optimizer gives the bits of a run without it") {
  for (const char* optimizer : {"adam", "lamb"}) {
    TrainSettings settings = small_settings();
    settings.hparams = fmt::format("hidden_size=24,optimizer={},dropout=0.2,clip_grad_norm=0.5", optimizer);
    settings.ema = 0.9;
    for (const int ranks : {1, 2, 3, 5}) {
      for_thread_ranks(ranks, [&](RankContext& rank) {
        TrainSettings mine = settings;
        const TestRun whole = train_rank(rank, mine);
        mine.shard_optimizer = true;
        for (const char* overlap : {"inline", "thread"}) {
          mine.overlap = overlap;
          check_same(train_rank(rank, mine), whole);
        }
      });
    }
  }
}

TEST_CASE("--strategy=central_storage gives the bits of sync over the same communicator") {
  for (const char* optimizer : {"adam", "lamb"}) {
    TrainSettings settings = small_settings();
    settings.hparams = fmt::format(
        "hidden_size=24,optimizer={},dropout=0.2,clip_grad_norm=0.5,optimizer_multistep_accumulate_steps=2", optimizer);
    settings.ema = 0.9;
    for (const int ranks : {1, 2, 3, 5}) {
      for_thread_ranks(ranks, [&](RankContext& rank) {
        for (const char* collective : {"auto", "shm"}) {
          TrainSettings mine = settings;
          mine.collective = collective;
          const TestRun sync = train_rank(rank, mine);
          mine.strategy = "central_storage";
          for (const char* overlap : {"inline", "thread"}) {
            mine.overlap = overlap;
            check_same(train_rank(rank, mine), sync);
          }
        }
      });
    }
  }
}

TEST_CASE("--strategy=central_storage: a rank without a share of the data updates its part, the chief too") {
  TrainSettings settings = small_settings();
  for_thread_ranks(3, [&](RankContext& rank) {
    for (const int idle : {0, 2}) {
      TrainSettings mine = settings;
      const bool has_shares = rank.communicator.rank() != idle;
      const TestRun sync = train_rank(rank, mine, builtin_registry(), nullptr, has_shares);
      mine.strategy = "central_storage";
      const TestRun central = train_rank(rank, mine, builtin_registry(), nullptr, has_shares);
      CHECK(central.outcome.parameters_sha256 == sync.outcome.parameters_sha256);
    }
  });
}

TEST_CASE("--strategy=central_storage: where the ranks cannot have one copy, the message says why and what to do") {
  for_thread_ranks(2, [](RankContext& rank) {
    TrainSettings settings = small_settings();
    settings.strategy = "central_storage";
    settings.collective = "hierarchical";
    check_error(ExitCode::configuration,
                {"--strategy=central_storage keeps one copy of the parameters in memory that all ranks share",
                 "--collective=hierarchical has none", "--collective=shm", "--shard_optimizer"},
                [&] { train_rank(rank, settings); });
  });
}

TEST_CASE("--wire_dtype: replicas agree, with --shard_optimizer too, and the loss is close to float32's") {
  TrainSettings settings = small_settings();
  settings.hparams = "hidden_size=24,optimizer=momentum,learning_rate=0.1,clip_grad_norm=2";
  for (const int ranks : {1, 2, 3, 5}) {
    for_thread_ranks(ranks, [&](RankContext& rank) {
      TrainSettings mine = settings;
      const TestRun wide = train_rank(rank, mine);
      for (const char* wire : {"bfloat16", "float16"}) {
        mine.wire_dtype = wire;
        mine.shard_optimizer = false;
        const TestRun whole = train_rank(rank, mine);  // compares the replicas' digests
        CHECK((whole.outcome.parameters_sha256 == wide.outcome.parameters_sha256) == (ranks == 1));
        CHECK(whole.outcome.evaluation["loss"].mean ==
              doctest::Approx(wide.outcome.evaluation["loss"].mean).epsilon(0.001));
        mine.shard_optimizer = true;
        CHECK(train_rank(rank, mine).outcome.parameters_sha256 == whole.outcome.parameters_sha256);
      }
    });
  }
}

TEST_CASE("--exact gives the same bits where a rank has no share of the data") {
  TrainSettings settings = small_settings();
  settings.exact = true;
  settings.hparams = "hidden_size=24,optimizer=adam,dropout=0.2,normalize_inputs=True";
  const TestRun alone = train_alone(settings);
  for_rank_contexts([&](RankContext& rank) {
    const int size = rank.communicator.size();
    for (const int idle : {0, size / 2, size - 1}) {
      if (size == 1) continue;
      const TestRun run = train_rank(rank, settings, builtin_registry(), nullptr, rank.communicator.rank() != idle);
      CHECK(run.outcome.parameters_sha256 == alone.outcome.parameters_sha256);
      CHECK(run.outcome.evaluation["loss"].mean == alone.outcome.evaluation["loss"].mean);
      if (rank.communicator.rank() == 0) CHECK(run.losses == alone.losses);
    }
  });
}

TEST_CASE("gradients go over the communicator that --collective names") {
  for_rank_contexts([](RankContext& rank) {
    Registry registry = builtin_registry();
    bool made = false;
    registry.communicators.add("mine", "a copy of the group", [&](const CommunicatorParts& parts) {
      CHECK(parts.group.size() == rank.communicator.size());
      made = true;
      return parts.group.split(0, parts.group.rank());
    });
    TrainSettings settings = small_settings();
    settings.collective = "mine";
    const std::string expected = train_rank(rank, small_settings()).outcome.parameters_sha256;
    CHECK(train_rank(rank, settings, registry).outcome.parameters_sha256 == expected);
    CHECK(made);
    settings.collective = "mime";
    CHECK_THROWS_WITH_AS(resolve_hparams(settings, registry), doctest::Contains("did you mean 'mine'"), Error);
  });
}

TEST_CASE("--exact keeps its bits with convolutions, dropout, augmentation, normalisation, clipping and accumulation") {
  TrainSettings settings = small_settings();
  settings.model = "convnet";
  settings.hparams =
      "num_filters=5,hidden_size=9,dropout=0.3,augment_shift=2,augment_flip=True,normalize_inputs=True,"
      "clip_grad_norm=0.5,optimizer_multistep_accumulate_steps=2,optimizer=adamw,weight_decay=0.01,label_smoothing=0.1";
  settings.global_batch_size = 37;  // shares of two and three samples
  settings.exact = true;
  settings.train_steps = 6;
  settings.eval_steps = 2;
  const std::string expected = train_alone(settings).outcome.parameters_sha256;
  for_rank_contexts(
      [&](RankContext& rank) { CHECK(train_rank(rank, settings).outcome.parameters_sha256 == expected); });
}

TEST_CASE("every optimizer, model and loss trains on two ranks") {
  std::vector<std::string> each{"loss=sigmoid_cross_entropy,label_smoothing=0.1", "learning_rate_reference_batch=20"};
  for (const std::string& name : builtin_registry().optimizers.names()) each.push_back("optimizer=" + name);
  for (const std::string& hparams : each) {
    CAPTURE(hparams);
    TrainSettings settings = small_settings();
    settings.hparams = hparams;
    settings.train_steps = 3;
    settings.eval_steps = 1;
    for_thread_ranks(2, [&](RankContext& rank) { CHECK(train_rank(rank, settings).outcome.step == 3); });
  }
  for (const char* model : {"linear", "lenet", "resnet"}) {
    CAPTURE(model);
    TrainSettings settings = small_settings();
    settings.model = model;
    settings.hparams = "";
    settings.train_steps = 2;
    settings.eval_steps = 1;
    for_thread_ranks(2, [&](RankContext& rank) { CHECK(train_rank(rank, settings).outcome.step == 2); });
  }
}

TEST_CASE("model averaging at every step of SGD is synchronous training, with equal shares") {
  TrainSettings settings = small_settings();
  settings.global_batch_size = 120;  // divisible by 1, 2, 3, 4, 5 and 8
  const TestRun alone = train_alone(settings);
  settings.strategy = "model_averaging";
  settings.sync_every = 1;
  for_rank_contexts([&](RankContext& rank) {
    const TestRun run = train_rank(rank, settings);
    if (rank.communicator.rank() == 0) check_close(run.losses, alone.losses);
  });
}

TEST_CASE("model averaging ends with replicas that agree, also between meetings") {
  TrainSettings settings = small_settings();
  settings.strategy = "model_averaging";
  settings.sync_every = 7;
  for_rank_contexts([&](RankContext& rank) {
    const TestRun run = train_rank(rank, settings);  // would throw if the digests differed
    CHECK(run.outcome.parameters_sha256.size() == 64);
    CHECK(run.outcome.evaluation.samples == 2000);
  });
}

TEST_CASE("one rank's vote stops all ranks after the same step") {
  for_rank_contexts([&](RankContext& rank) {
    const std::atomic<bool> stop = rank.communicator.rank() == rank.communicator.size() - 1;
    const TestRun run = train_rank(rank, small_settings(), builtin_registry(), &stop);
    CHECK(run.outcome.step == 1);
    CHECK(run.outcome.stopped);
  });
}

TEST_CASE("a rate that is too high ends with the step and what is not finite") {
  TrainSettings settings = small_settings();
  settings.hparams = "hidden_size=24,optimizer=sgd,learning_rate=1e30";
  try {
    train_alone(settings);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::internal);
    CHECK(error.scope() == Scope::every_rank);
    const std::string message = error.what();
    CAPTURE(message);
    CHECK(message.find("at step ") != std::string::npos);
    CHECK(message.find("is not finite") != std::string::npos);
    CHECK(message.find("learning_rate") != std::string::npos);
  }
}

TEST_CASE("parameters that went wrong in the last update are found by the evaluation") {
  TrainSettings settings = small_settings();
  settings.train_steps = 1;
  settings.hparams = "hidden_size=24,optimizer=sgd,learning_rate=1e38";
  CHECK_THROWS_WITH_AS(train_alone(settings), doctest::Contains("the loss over the dev split is not finite"), Error);
}

TEST_CASE("what cannot work is refused before the first step") {
  const auto code_of = [](const TrainSettings& settings) {
    ExitCode code = ExitCode::done;
    for_thread_ranks(3, [&](RankContext& rank) {
      try {
        const auto backend = make_backend({});
        Log log(rank.communicator.rank(), 3, true);
        run_training(settings, resolve_hparams(settings, builtin_registry()), builtin_registry(),
                     {.world = rank.communicator,
                      .compute = rank.communicator,
                      .backend = *backend,
                      .trace = rank.trace,
                      .log = log});
      } catch (const Error& error) {
        if (rank.communicator.rank() == 0) code = error.code();
      }
    });
    return code;
  };
  TrainSettings settings = small_settings();
  settings.exact = true;
  settings.micro_shards = 2;
  CHECK(code_of(settings) == ExitCode::configuration);
  settings = small_settings();
  settings.hparams = "batch_size=0";
  settings.global_batch_size.reset();
  CHECK(code_of(settings) == ExitCode::usage);
  settings = small_settings();
  settings.problem = "image_shape";
  CHECK(code_of(settings) == ExitCode::usage);
  settings = small_settings();
  settings.hparams = "optimizer=adamm";
  CHECK(code_of(settings) == ExitCode::usage);
}

TEST_CASE("more ranks than samples are refused, as many as samples train") {
  Registry registry = builtin_registry();
  registry.problems.add("two", "two samples", [](const ProblemOptions&) {
    const auto read = [](Split, std::int64_t sample, const SampleSlot& slot) {
      slot.input[0] = static_cast<float>(sample);
      slot.input[1] = 1;
      *slot.label = static_cast<std::int32_t>(sample);
    };
    return std::make_unique<GivenProblem>(
        GivenProblem::Parts{.shape = {.input = {2}, .outputs = 2}, .train = 2, .dev = 2, .test = 2, .read = read});
  });
  TrainSettings settings = small_settings();
  settings.problem = "two";
  settings.model = "linear";
  settings.hparams = "optimizer=sgd,learning_rate=0.5";
  settings.train_steps = 200;
  for_thread_ranks(2, [&](RankContext& rank) {
    CHECK(train_rank(rank, settings, registry).outcome.evaluation["accuracy"].count == 2);
  });
  for_thread_ranks(3, [&](RankContext& rank) {
    CHECK_THROWS_WITH_AS(train_rank(rank, settings, registry), doctest::Contains("only 2 training samples"), Error);
  });
}

}  // namespace
}  // namespace lockstep
