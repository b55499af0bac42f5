#include "train/schedule/predict/most_probable.h"

#include <algorithm>
#include <cstddef>
#include <ranges>

namespace lockstep {

// The prediction comes from the network's outputs; the probabilities of different outputs may be the same float.
void most_probable(std::span<const float> probabilities, std::int32_t predicted, std::span<std::int32_t> top,
                   std::span<float> top_probabilities) {
  const auto of = [&](std::int32_t one) { return probabilities[static_cast<std::size_t>(one)]; };
  const auto comes_before = [&](std::int32_t one, std::int32_t other) {
    if (one == predicted || other == predicted) return one == predicted && other != predicted;
    return of(one) != of(other) ? of(one) > of(other) : one < other;
  };
  const auto classes = std::views::iota(std::int32_t{0}, static_cast<std::int32_t>(probabilities.size()));
  std::ranges::partial_sort_copy(classes, top, comes_before);
  std::ranges::transform(top, top_probabilities.begin(), of);
}

}  // namespace lockstep
