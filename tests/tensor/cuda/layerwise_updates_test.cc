#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "update_run.h"

namespace lockstep {
namespace {

constexpr std::int64_t kSizes[] = {0, 1, 3, 257, 1037, 20'003};
// The bound of element-wise updates, plus one for the trust ratio: its norms are sums in float64.
constexpr double kUlps = 5;

LambStep lamb_step(bool adapted) {
  return {.rate = 0.5, .beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-3, .t = 3, .weight_decay = 0.125, .adapted = adapted};
}
LarsStep lars_step(bool adapted) {
  return {.rate = 0.9, .momentum = 0.8, .trust = 0.5, .weight_decay = 0.125, .adapted = adapted};
}
UpdateStep scaled(const UpdateFormula& formula) { return {.factor = 0.7, .formula = formula}; }

TEST_CASE("LAMB moves values as on the CPU, adapted or not") {
  on_gpu([](Backend& backend) {
    for (const bool adapted : {true, false}) {
      for (const std::int64_t count : kSizes) check_update(backend, count, kUlps, scaled(lamb_step(adapted)));
    }
  });
}

TEST_CASE("LARS moves values as on the CPU, adapted or not") {
  on_gpu([](Backend& backend) {
    for (const bool adapted : {true, false}) {
      for (const std::int64_t count : kSizes) check_update(backend, count, kUlps, scaled(lars_step(adapted)));
    }
  });
}

// The trust ratio is 1 if all values are 0, or all directions.
TEST_CASE("where a norm is zero the trust ratio is 1, as on the CPU") {
  on_gpu([](Backend& backend) {
    for (const bool values : {true, false}) {
      for (const bool others : {true, false}) {
        auto spans = update_spans(300, 2);
        for (std::size_t i = 0; i < spans.size(); ++i) {
          if (i == 0 ? values : others) spans[i].data.assign(300, 0.0F);
        }
        for (const double decay : {0.0, 0.125}) {
          const auto lamb = [&](Backend& of, Tensors tensors) {
            LambStep step = lamb_step(true);
            step.weight_decay = decay;
            update_of(of, tensors, scaled(step));
          };
          CHECK(largest_ulps(spans, updated_on(backend, spans, lamb), updated_on_cpu(spans, lamb)) < kUlps);
          const auto lars = [&](Backend& of, Tensors tensors) {
            LarsStep step = lars_step(true);
            step.weight_decay = decay;
            update_of(of, tensors.first(3), scaled(step));
          };
          CHECK(largest_ulps(spans, updated_on(backend, spans, lars), updated_on_cpu(spans, lars)) < kUlps);
        }
      }
    }
  });
}

TEST_CASE("layer-wise updates are the same bits each time") {
  std::vector<std::vector<std::vector<float>>> results;
  on_gpu([&](Backend& backend) {
    const auto spans = update_spans(20'003, 2);
    for (int run = 0; run < 2; ++run) {
      results.push_back(updated_on(backend, spans, [](Backend& of, Tensors tensors) {
        update_of(of, tensors, scaled(lamb_step(true)));
        update_of(of, tensors.first(3), scaled(lars_step(true)));
      }));
    }
  });
  for (const auto& result : results) CHECK(result == results.front());
}

}  // namespace
}  // namespace lockstep
