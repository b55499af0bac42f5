#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/cpu/cpu_backend.h"
#include "tensor/cuda/gpu_under_test.h"

namespace lockstep {

using Tensors = std::span<const Tensor>;

inline int slots_of(const UpdateFormula& formula) {
  return std::visit([](const auto& step) { return static_cast<int>(step.kSlots); }, formula);
}

// Values, gradients and slots of an update, in this order; slots are non-negative, as some are under a root.
inline std::vector<Host<float>> update_spans(std::int64_t count, int slots) {
  std::vector<Host<float>> spans;
  for (int i = 0; i < 2 + slots; ++i) {
    spans.emplace_back(Shape{count}, static_cast<std::uint16_t>(i + 1));
    if (i < 2) continue;
    for (float& value : spans.back().data) value *= value;
  }
  return spans;
}

// Runs an update on tensors in the order of update_spans().
inline void update_of(Backend& backend, Tensors of, const UpdateStep& step) {
  backend.update(step, of[0], of[1], of.subspan(2));
}

// Runs the update (Backend&, span of tensors) on the backend's device and returns all spans.
template <class Update>
std::vector<std::vector<float>> updated_on(Backend& backend, const std::vector<Host<float>>& spans, Update update) {
  std::vector<OnGpu<float>> there;
  there.reserve(spans.size());
  std::vector<Tensor> tensors;
  for (const Host<float>& span : spans) tensors.push_back(there.emplace_back(backend, span).tensor);
  update(backend, Tensors(tensors));
  std::vector<std::vector<float>> results;
  for (const OnGpu<float>& span : there) results.push_back(span.read());
  return results;
}

// The same on the CPU.
template <class Update>
std::vector<std::vector<float>> updated_on_cpu(std::vector<Host<float>> spans, Update update) {
  const auto cpu = make_cpu_backend();
  std::vector<Tensor> tensors;
  for (Host<float>& span : spans) tensors.push_back(span.tensor());
  update(*cpu, Tensors(tensors));
  std::vector<std::vector<float>> results;
  for (Host<float>& span : spans) results.push_back(std::move(span.data));
  return results;
}

// Returns the largest difference from the CPU's results, in units in the last place of the terms that are summed:
// products are rounded before they are added, or not. Terms are no larger than the old value and the result together,
// or they cancel, and then most of them are below 1/4.
inline double largest_ulps(const std::vector<Host<float>>& before, const std::vector<std::vector<float>>& results,
                           const std::vector<std::vector<float>>& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t j = 0; j < expected[i].size(); ++j) {
      const double terms = std::abs(before[i].data[j]) + std::abs(expected[i][j]) + 0.25;
      const double ulps = std::abs(static_cast<double>(results[i][j]) - expected[i][j]) / (terms * 0x1p-23);
      if (std::isnan(ulps)) return ulps;
      largest = std::max(largest, ulps);
    }
  }
  return largest;
}

// Checks an update of `count` values on the GPU against the CPU's.
inline void check_update(Backend& backend, std::int64_t count, double ulps, const UpdateStep& step) {
  CAPTURE(count);
  const std::vector<Host<float>> spans = update_spans(count, slots_of(step.formula));
  const auto update = [&](Backend& of, Tensors tensors) { update_of(of, tensors, step); };
  const auto results = updated_on(backend, spans, update);
  CHECK(largest_ulps(spans, results, updated_on_cpu(spans, update)) < ulps);
  CHECK(results[1] == spans[1].data);  // gradients are unchanged
}

}  // namespace lockstep
