#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

#include "tensor/cpu/cpu_backend.h"
#include "update_run.h"

// Clipping without the host: the factor stays on the GPU, and updates read it there.
namespace lockstep {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

constexpr UpdateFormula kFormulas[] = {
    SgdStep{.rate = 0.9, .l2 = 0.1},
    MomentumStep{.rate = 0.9, .momentum = 0.8, .l2 = 0.1},
    AdamStep{.rate = 0.5, .beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-3, .decoupled = 0.25},
    RmspropStep{.rate = 0.5, .decay = 0.9, .epsilon = 1e-3},
    AdagradStep{.rate = 0.5, .epsilon = 1e-3},
    LambStep{.rate = 0.5, .beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-3, .weight_decay = 0.1},
    LarsStep{.rate = 0.5, .momentum = 0.8, .trust = 0.1, .weight_decay = 0.1},
    AdafactorStep{.rate = 0.5, .decay = 0.9, .columns = 1037},
    AdafactorStep{.rate = 0.5, .decay = 0.9, .rows = 17, .columns = 61},
};
static_assert(
    [] {
      std::size_t found = 0;
      for (const UpdateFormula& formula : kFormulas) found += formula.index() == found ? 1 : 0;
      return found == std::variant_size_v<UpdateFormula>;
    }(),
    "kFormulas has each formula, in the order of UpdateFormula");

std::vector<double> clip_factor(Backend& backend, const std::vector<double>& sums, double scale, double most) {
  const Shape shape{std::ssize(sums)};
  std::vector<std::int32_t> order(sums.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(order.size() - 1 - i);
  const OnGpu<double> there(backend, Host<double>::of(shape, sums));
  const OnGpu<std::int32_t> in_order(backend, Host<std::int32_t>::of(shape, order));
  const OnGpu<double> result(backend, Shape{2});
  backend.clip_factor(there.tensor, in_order.tensor, scale, most, result.tensor);
  return result.read();
}

}  // namespace

TEST_CASE("the factor that clips is 1 up to the largest norm, makes that of larger ones, and 0 of what is not finite") {
  const auto check = [](Backend& backend) {
    std::vector<double> sums(5000);
    double sum = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) sum += sums[i] = static_cast<double>(i % 91);
    const double norm = 0.125 * std::sqrt(sum);
    CHECK(clip_factor(backend, sums, 0.125, 0) == std::vector<double>{1, norm});
    CHECK(clip_factor(backend, sums, 0.125, norm) == std::vector<double>{1, norm});
    CHECK(clip_factor(backend, sums, 0.125, norm / 8) == std::vector<double>{0.125, norm});
    CHECK(clip_factor(backend, {}, 0.5, 1) == std::vector<double>{1, 0});
    for (const double odd : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      sums[4321] = odd;
      for (const double most : {0.0, 1.0}) {
        const std::vector<double> result = clip_factor(backend, sums, 0.125, most);
        CHECK(result[0] == 0);
        CHECK(!std::isfinite(result[1]));
      }
    }
  };
  on_gpu(check);
  CpuBackend cpu;
  check(cpu);
}

TEST_CASE("a factor on the GPU is one more of the step's, and 0 leaves everything as it is, whatever gradients are") {
  const auto check = [](Backend& backend) {
    for (const UpdateFormula& formula : kFormulas) {
      CAPTURE(formula.index());
      constexpr std::int64_t kCount = 17 * 61;
      auto spans = update_spans(kCount, slots_of(formula));
      const auto with = [&](double of_device) {
        const OnGpu<double> there(backend, Host<double>::of({1}, {of_device}));
        return updated_on(backend, spans, [&](Backend& on, Tensors of) {
          const auto* factor = static_cast<const double*>(there.tensor.data());
          update_of(on, of, {.factor = 0.5, .device_factor = factor, .formula = formula});
        });
      };
      const auto expected = updated_on(
          backend, spans, [&](Backend& on, Tensors of) { update_of(on, of, {.factor = 0.125, .formula = formula}); });
      CHECK(with(0.25) == expected);

      for (std::size_t i = 0; i < spans[1].data.size(); i += 7) spans[1].data[i] = kNan;
      const auto unchanged = with(0);
      CHECK(unchanged[0] == spans[0].data);
      for (std::size_t slot = 2; slot < spans.size(); ++slot) CHECK(unchanged[slot] == spans[slot].data);
    }
  };
  on_gpu(check);
  CpuBackend cpu;
  check(cpu);
}

}  // namespace lockstep
