#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "resumed_runs.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"
#include "train_rank.h"

// Training on sequences of different lengths, which are packed into a batch without padding.
namespace lockstep {
namespace {

TrainSettings sequence_settings(const std::string& model = "transformer") {
  TrainSettings settings;
  settings.problem = "algorithmic_sort_problem";
  settings.model = model;
  settings.hparams_set = "transformer_test";
  settings.hparams =
      "learning_rate_schedule=constant,learning_rate_constant=1,learning_rate=0.01,clip_grad_norm=1.0,max_length=9";
  settings.train_steps = 12;
  settings.global_batch_size = 300;  // in symbols
  settings.eval_steps = 1;
  settings.log_every = 1;
  return settings;
}

void check_close(const std::vector<double>& losses, const std::vector<double>& expected) {
  REQUIRE(losses.size() == expected.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    CAPTURE(i);
    CHECK(losses[i] == doctest::Approx(expected[i]).epsilon(1e-5));
  }
}

}  // namespace

TEST_CASE("sequences: any number of ranks trains as one does, with dropout, ranks without a sequence included") {
  for (const std::int64_t symbols : {300, 25}) {
    TrainSettings settings = sequence_settings();
    settings.global_batch_size = symbols;
    const TestRun alone = train_alone(settings);
    CHECK(alone.losses.front() > alone.losses.back());
    for_rank_contexts([&](RankContext& rank) {
      const TestRun run = train_rank(rank, settings);
      if (rank.communicator.rank() == 0) check_close(run.losses, alone.losses);
    });
  }
}

TEST_CASE("sequences: --exact gives the same bits for any ranks, in pieces on other numbers of ranks too") {
  TrainSettings settings = sequence_settings();
  settings.exact = true;
  settings.micro_shards = 8;
  const std::string expected = train_alone(settings).outcome.parameters_sha256;
  for_rank_contexts(
      [&](RankContext& rank) { CHECK(train_rank(rank, settings).outcome.parameters_sha256 == expected); });
  const TemporaryFolder folder;
  std::string last;
  std::int64_t step = 0;
  for (const int ranks : {2, 3, 1}) {
    step += 4;
    for_thread_ranks(ranks, [&](RankContext& rank) {
      const TestRun run = train_to(rank, settings, folder.path(), step);
      if (rank.communicator.rank() == 0) last = run.outcome.parameters_sha256;
    });
  }
  CHECK(last == expected);
}

TEST_CASE("sequences: a run whose batch grows with its ranks goes on in the middle of an epoch") {
  TrainSettings settings = sequence_settings();
  settings.global_batch_size.reset();
  settings.hparams += ",batch_size=200";
  const TemporaryFolder folder;
  std::int64_t step = 0;
  for (const int ranks : {1, 3, 3, 2}) {
    step += 3;
    for_thread_ranks(ranks, [&](RankContext& rank) {
      const TestRun run = train_to(rank, settings, folder.path(), step);
      CHECK(run.outcome.step == step);
    });
  }
}

TEST_CASE("sequences: --recompute gives the same bits, dropout included") {
  TrainSettings settings = sequence_settings();
  for (const int ranks : {1, 2}) {
    std::string expected;
    for (const bool recompute : {false, true}) {
      settings.recompute = recompute;
      for_thread_ranks(ranks, [&](RankContext& rank) {
        const TestRun run = train_rank(rank, settings);
        if (rank.communicator.rank() > 0) return;
        if (!recompute) expected = run.outcome.parameters_sha256;
        CHECK(run.outcome.parameters_sha256 == expected);
      });
    }
  }
}

TEST_CASE("--recompute is refused with a model that cannot compute its layers again") {
  TrainSettings settings = small_settings();
  settings.recompute = true;
  check_error(ExitCode::configuration, {"--recompute", "model mlp", "leave it out"}, [&] { train_alone(settings); });
}

TEST_CASE("sequences: learned positions that an evaluation goes beyond are refused before the first step") {
  TrainSettings settings = sequence_settings();
  settings.hparams += ",pos=emb";
  check_error(ExitCode::configuration, {"of the dev split has", "learns positions for 9", "pos=timing"},
              [&] { train_alone(settings); });
  settings.hparams = "pos=emb,max_length=21";  // 20 numbers, and the end
  CHECK(train_alone(settings).outcome.step == 12);
}

TEST_CASE("sequences: whole sequences are counted, and every metric of theirs is there") {
  TrainSettings settings = sequence_settings();
  settings.eval_steps.reset();
  settings.train_steps = 1;
  const EvaluationResult result = train_alone(settings).outcome.evaluation;
  CHECK(result.sequences == 10'000);
  CHECK(result.samples > result.sequences);
  CHECK(result["accuracy_per_sequence"].mean <= result["accuracy"].mean);
  CHECK(result["neg_log_perplexity"].mean == -result["loss"].mean);
  CHECK(result["perplexity"].mean == doctest::Approx(std::exp(result["loss"].mean)));
}

}  // namespace lockstep
