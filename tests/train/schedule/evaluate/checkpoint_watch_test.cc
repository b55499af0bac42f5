#include "train/schedule/evaluate/checkpoint_watch.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "support/temporary_folder.h"
#include "train/train_rank.h"

namespace lockstep {

TEST_CASE("a copy under another step's name is left out, and what comes after it is found") {
  const TemporaryFolder folder;
  TrainSettings settings = small_settings();
  settings.save_steps = 10;
  settings.output_dir = folder.path();
  train_alone(settings);
  std::filesystem::copy_file(folder / "model.ckpt-10.h5", folder / "model.ckpt-15.h5");

  Log log(0, 1, true);
  std::vector<std::int64_t> seen;
  CheckpointWatch watch(folder.path(), log,
                        [&](std::int64_t step, std::uint64_t) { return std::ranges::find(seen, step) == seen.end(); });
  while (const auto reader = watch.next()) {
    REQUIRE(seen.size() < 3);
    seen.push_back(reader->header().step);
  }
  CHECK(seen == std::vector<std::int64_t>{10, 20});
  CHECK(watch.finished());
}

TEST_CASE("steps that were saved and whose files are gone are found, up to the newest file") {
  const TemporaryFolder folder;
  TrainSettings settings = small_settings();
  settings.save_steps = 5;
  settings.keep_checkpoints = 2;
  settings.output_dir = folder.path();
  train_alone(settings);

  Log log(0, 1, true);
  const CheckpointWatch watch(folder.path(), log, [](std::int64_t, std::uint64_t) { return true; });
  CHECK(watch.removed() == std::vector<std::int64_t>{5, 10});
  std::filesystem::remove(folder / "model.ckpt-20.h5");  // as happens when a run resumes from an earlier one
  CHECK(watch.removed() == std::vector<std::int64_t>{5, 10});
  std::filesystem::remove(folder / "metrics.jsonl");
  CHECK(watch.removed().empty());
  CHECK(CheckpointWatch(folder / "none", log, {}).removed().empty());
}

}  // namespace lockstep
