#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "update_run.h"

namespace lockstep {
namespace {

// A handful of roundings, including three roots and quotients; means are sums in float64.
constexpr double kUlps = 8;

AdafactorStep step_of(const Shape& shape) {
  return {.rate = 0.5,
          .decay = 0.6,
          .weight_decay = 0.125,
          .rows = shape[shape.rank() - 2],
          .columns = shape[shape.rank() - 1]};
}

UpdateStep scaled(const AdafactorStep& step) { return {.factor = 0.7, .formula = step}; }

auto update_by(const UpdateStep& step) {
  return [step](Backend& backend, Tensors of) { update_of(backend, of, step); };
}

TEST_CASE("Adafactor: matrices, rows of them, and single rows and columns move as on the CPU") {
  on_gpu([](Backend& backend) {
    // The last ones need more than one tile in each direction, and more than one block for the factors of rows.
    for (const Shape& shape :
         {Shape{0, 3, 5}, Shape{3, 5}, Shape{2, 2}, Shape{1, 7}, Shape{7, 1}, Shape{1, 1}, Shape{2, 3, 4, 5},
          Shape{5, 700}, Shape{700, 5}, Shape{4, 1, 3}, Shape{1, 3000}, Shape{2, 300, 131}, Shape{4200, 3}}) {
      CAPTURE(shape.text());
      check_update(backend, shape.elements(), kUlps, scaled(step_of(shape)));
    }
  });
}

TEST_CASE("Adafactor: clipping, decay and sizes of variables count as on the CPU") {
  on_gpu([](Backend& backend) {
    for (const Shape& shape : {Shape{33, 130}, Shape{1, 1037}}) {
      for (const double clipping : {0.0, 0.25, 100.0}) {
        AdafactorStep step = step_of(shape);
        step.clipping = clipping;
        step.weight_decay = 0;
        check_update(backend, shape.elements(), kUlps, scaled(step));
        step.relative = false;
        check_update(backend, shape.elements(), kUlps, scaled(step));
        step.relative = true;
        step.least_scale = 3;
        check_update(backend, shape.elements(), kUlps, scaled(step));
      }
    }
  });
}

TEST_CASE("Adafactor: a variable of zeros moves, and one without gradients stays") {
  on_gpu([](Backend& backend) {
    const UpdateStep step{.formula = AdafactorStep{.rate = 0.03125, .rows = 2, .columns = 2}};
    auto spans = update_spans(4, 1);
    spans[0].data = {0, 0, 0, 0};
    spans[1].data = {2, 2, 2, 2};
    spans[2].data = {0, 0, 0, 0};
    const auto moved = updated_on(backend, spans, update_by(step));
    for (const float value : moved[0]) CHECK(value == doctest::Approx(-0.03125 * 1e-3));
    spans[0].data = {1, 2, 3, 4};
    spans[1].data = {0, 0, 0, 0};
    CHECK(updated_on(backend, spans, update_by(step))[0] == spans[0].data);
  });
}

TEST_CASE("Adafactor: what is no mean in a slot stays") {
  on_gpu([](Backend& backend) {
    const auto spans = update_spans(2 * 5 * 7, 1);
    const auto slot = updated_on(backend, spans, update_by(scaled(step_of({2, 5, 7}))))[2];
    for (std::size_t i = 0; i < slot.size(); ++i) CHECK((slot[i] == spans[2].data[i]) == (i % 35 >= 5 + 7));
  });
}

TEST_CASE("Adafactor: an update is the same bits each time") {
  std::vector<std::vector<std::vector<float>>> results;
  on_gpu([&](Backend& backend) {
    for (int run = 0; run < 2; ++run) {
      results.push_back(updated_on(backend, update_spans(300 * 131, 1), update_by(scaled(step_of({300, 131})))));
    }
  });
  for (const auto& result : results) CHECK(result == results.front());
}

TEST_CASE("Adafactor: a part of a matrix is refused") {
  const auto backend = gpu();
  const OnGpu<float> part(*backend, Shape{7});
  const UpdateStep step{.formula = AdafactorStep{.rows = 2, .columns = 4}};
  CHECK_THROWS_AS(backend->update(step, part.tensor, part.tensor, std::vector{part.tensor}), Error);
}

}  // namespace
}  // namespace lockstep
