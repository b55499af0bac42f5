#include "train/served/served_plan.h"

#include <doctest/doctest.h>

#include "support/check_error.h"

namespace lockstep {
namespace {

ServedPlan some_plan() {
  ServedPlan plan;
  plan.table.add("a \"quoted\"\nname", {3, 5}, true);
  plan.table.add("bias", {5}, false);
  plan.table.add_constant("stddev", {1}, true);
  plan.schedule = {.train_steps = 700, .steps_per_epoch = 11, .global_batch = 129, .workers = 3};
  plan.from = {.step = 4,
               .epoch = 1,
               .consumed = 0,
               .legs = {{.buckets = {.batch_tokens = 64}, .batches = 3}},
               .missed = {{5, 0, 7}, {1}}};
  plan.found = {{"the number of samples", "40"}, {"the model", "mlp"}};
  plan.batches = "ab12";
  plan.replayed = "{\"format\":\"lockstep update log\"}\n";
  return plan;
}

TEST_CASE("a served plan is the same after it was a text") {
  const ServedPlan plan = some_plan();
  const ServedPlan read = served_plan(to_text(plan));
  REQUIRE(read.table.variables().size() == 3);
  for (int i = 0; i < 3; ++i) {
    CHECK(read.table[i].name == plan.table[i].name);
    CHECK(read.table[i].shape == plan.table[i].shape);
    CHECK(read.table[i].range == plan.table[i].range);
    CHECK(read.table[i].decay == plan.table[i].decay);
    CHECK(read.table[i].trainable == plan.table[i].trainable);
    CHECK(read.table[i].positive == plan.table[i].positive);
  }
  CHECK(read.table.padded_count() == plan.table.padded_count());
  CHECK(read.schedule.train_steps == 700);
  CHECK(read.schedule.steps_per_epoch == 11);
  CHECK(read.schedule.global_batch == 129);
  CHECK(read.schedule.workers == 3);
  CHECK(read.from == plan.from);
  check_found(plan, read.found);
  CHECK(read.batches == plan.batches);
  CHECK(read.replayed == plan.replayed);
}

TEST_CASE("a rank that has found other data than the chief names them") {
  check_error(ExitCode::configuration, {"the number of samples is '40' on the chief and '41' on "}, [] {
    check_found(some_plan(), {{"the model", "mlp"}, {"the number of samples", "41"}});
  });
}

}  // namespace
}  // namespace lockstep
