#include "checkpoint/background_writer.h"

#include <doctest/doctest.h>

#include <limits>

#include "base/error.h"
#include "checkpoint/decoder.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

constexpr std::chrono::seconds kLong{30};

struct Fixture {
  TemporaryFolder folder;
  CheckpointDirectory checkpoints{folder.path(), {.most = 3}};
  ParameterTable table = [] {
    ParameterTable made;
    made.add("linear_0/kernel", Shape({3, 2}), true);
    return made;
  }();
  StateLayout layout{.table = &table, .slots = {"m"}};

  void fill(StateArrays& arrays, float value) const {
    arrays.parameters.assign(static_cast<std::size_t>(table.padded_count()), value);
    arrays.slots = {arrays.parameters};
  }
  static CheckpointHeader header(std::int64_t step) {
    return {.step = step, .model = "m", .problem = "p", .hparams = "{}", .config = "{}", .cursor = {.step = step}};
  }
};

}  // namespace

TEST_CASE("what was copied is written by a thread, and told once") {
  const Fixture f;
  BackgroundWriter writer(f.checkpoints, f.layout, {});
  CHECK(writer.idle({}));
  CHECK(!writer.take_written());
  f.fill(writer.arrays(), 1.5F);
  writer.write(Fixture::header(7));
  REQUIRE(writer.idle(kLong));
  const auto written = writer.take_written();
  REQUIRE(written);
  CHECK(written->step == 7);
  CHECK(written->bytes > 0);
  CHECK(!writer.take_written());
  CHECK(CheckpointDecoder(f.checkpoints.path_of(7)).read(f.layout).parameters[0] == 1.5F);
  CHECK(f.checkpoints.index()->newest == 7);
}

TEST_CASE("what the disk refuses comes out of idle() and of the next write") {
  const Fixture f;
  BackgroundWriter writer(f.checkpoints, f.layout,
                          [] { throw Error(ExitCode::cannot_write, "the disk was planted full"); });
  f.fill(writer.arrays(), 1);
  writer.write(Fixture::header(7));
  CHECK_THROWS_WITH(writer.idle(kLong), "the disk was planted full");
  CHECK_THROWS_WITH(writer.write(Fixture::header(8)), "the disk was planted full");
  CHECK(f.checkpoints.files().empty());
}

TEST_CASE("parameters that are not finite are not saved, and the variable is named") {
  const Fixture f;
  for (const float wrong : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    BackgroundWriter writer(f.checkpoints, f.layout, {});
    f.fill(writer.arrays(), 1);
    writer.arrays().parameters[4] = wrong;
    writer.write(Fixture::header(7));
    CHECK_THROWS_WITH(writer.idle(kLong), doctest::Contains("linear_0/kernel is not finite"));
    CHECK(f.checkpoints.files().empty());
  }
}

}  // namespace lockstep
