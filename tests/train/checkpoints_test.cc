#include "train/checkpoints.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "checkpoint/decoder.h"
#include "optim/optimizers.h"
#include "support/check_error.h"
#include "support/ranks.h"
#include "support/temporary_folder.h"
#include "tensor/cpu/cpu_backend.h"
#include "train/config/result_config.h"
#include "train/strategy/sync.h"

namespace lockstep {
namespace {

const BatchCursor kSaved{.step = 7, .epoch = 1, .consumed = 12};

ParameterTable table_of(std::int64_t rows) {
  ParameterTable table;
  table.add("kernel", {rows, 3}, true);
  table.add("bias", {3}, false);
  return table;
}

// One rank's replica, as in a training loop of one's own: with momentum, so that there is a slot.
struct Loop {
  explicit Loop(const RankContext& context, std::int64_t rows = 5) : table(table_of(rows)), in_world(context) {}

  std::vector<float> parameters() const { return floats(store.values()); }
  std::vector<float> velocity() const { return floats(replica.slots()[0]); }
  static std::vector<float> floats(const Tensor& tensor) {
    const auto span = tensor.span<float>();
    return {span.begin(), span.end()};
  }

  // Sets values and velocity that differ in every element.
  void fill() {
    for (std::int64_t i = 0; i < store.values().count(); ++i) {
      store.values().as<float>()[i] = 0.5F + static_cast<float>(i);
      replica.slots()[0].as<float>()[i] = -0.25F * static_cast<float>(i);
    }
  }

  Checkpoints checkpoints(const std::string& folder) {
    return {rank, replica, *strategy, {.folder = folder, .model = "loop"}};
  }

  ParameterTable table;
  const RankContext& in_world;
  std::unique_ptr<Backend> backend = make_cpu_backend();
  std::unique_ptr<Optimizer> momentum = make_momentum(momentum_hparams());
  ParameterStore store{table, in_world.communicator.allocator(), in_world.communicator.allocator(), DType::float32};
  Replica replica{*backend, store, *momentum};
  std::unique_ptr<Strategy> strategy = make_sync_strategy(in_world.communicator, in_world.trace, replica, {});
  Log log{in_world.communicator.rank(), in_world.communicator.size(), true};
  TrainingRank rank{.world = in_world.communicator,
                    .compute = in_world.communicator,
                    .backend = *backend,
                    .trace = in_world.trace,
                    .log = log};
};

void save(const std::string& folder, int ranks) {
  for_thread_ranks(ranks, [&](RankContext& context) {
    Loop loop(context);
    loop.fill();
    Checkpoints checkpoints = loop.checkpoints(folder);
    CHECK(checkpoints.restore() == BatchCursor{});  // an empty folder changes nothing
    CHECK(loop.parameters()[4] == 4.5F);
    checkpoints.save({.step = 3, .epoch = 0, .consumed = 30});
    loop.store.values().as<float>()[2] = 100;
    checkpoints.save(kSaved);
    loop.store.values().as<float>()[2] = -1;  // the copy was made before save() returned
    checkpoints.close();
  });
}

TEST_CASE("every rank of another world takes what the chief saved last, and its place in the data") {
  for (const int saved_by : {1, 3}) {
    for (const int taken_by : {1, 2, 5}) {
      CAPTURE(saved_by);
      CAPTURE(taken_by);
      const TemporaryFolder folder;
      save(folder.path(), saved_by);
      for_thread_ranks(taken_by, [&](RankContext& context) {
        Loop expected(context);
        expected.fill();
        expected.store.values().as<float>()[2] = 100;
        Loop loop(context);
        Checkpoints checkpoints = loop.checkpoints(folder.path());
        CHECK(checkpoints.restore() == kSaved);
        CHECK(loop.store.value(0).span<float>().size() == 15);
        CHECK(std::ranges::equal(loop.store.value(0).span<float>(), expected.store.value(0).span<float>()));
        CHECK(std::ranges::equal(loop.store.value(1).span<float>(), expected.store.value(1).span<float>()));
        CHECK(loop.velocity()[14] == -3.5F);
        checkpoints.close();
      });
    }
  }
}

TEST_CASE("a checkpoint of another model is refused by name, and so is a folder without a name") {
  const TemporaryFolder folder;
  save(folder.path(), 1);
  for_thread_ranks(1, [&](RankContext& context) {
    Loop larger(context, 6);
    check_error(ExitCode::configuration, {"kernel", "model.ckpt-7.h5"},
                [&] { larger.checkpoints(folder.path()).restore(); });
    check_error(ExitCode::usage, {"folder"}, [&] { larger.checkpoints(""); });
  });
}

TEST_CASE("train refuses to resume from a checkpoint of another loop") {
  const TemporaryFolder folder;
  save(folder.path(), 1);
  const CheckpointDecoder decoder(folder / "model.ckpt-7.h5");
  const SavedConfig config = saved_config(decoder.header().config);
  check_error(ExitCode::configuration, {"model.ckpt-7.h5' was written by a training loop of its own, not by train"},
              [&] { check_config(config, {}, {}, 1, {}, "model.ckpt-7.h5"); });
}

}  // namespace
}  // namespace lockstep
