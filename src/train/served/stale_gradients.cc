#include "train/served/stale_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace lockstep {
namespace {

// The optimizers that divide by a mean of squared gradients, so that one old gradient may be a large step.
constexpr std::string_view kAdaptive[] = {"adam", "adamw", "rmsprop", "adagrad", "lamb", "adafactor"};
constexpr std::string_view kWithMomentum[] = {"momentum", "nesterov", "lars"};

template <std::size_t kNames>
bool is_among(const std::string_view (&names)[kNames], const std::string& name) {
  return std::ranges::find(names, name) != std::end(names);
}

}  // namespace

std::string warn_of_stale_gradients(const TrainSettings& settings, const std::string& optimizer, int workers) {
  if (workers <= 1 || settings.sum_updates > 1 || settings.max_staleness == 0) return "";
  if (is_among(kAdaptive, optimizer) && !settings.max_staleness) {
    return fmt::format(
        "optimizer {} is known to learn badly from gradients of any age, as those of {} ranks are that do not wait for "
        "each other; --max_staleness=4 bounds their age, --sum_updates={} makes one update of that many gradients",
        optimizer, workers, workers);
  }
  if (is_among(kWithMomentum, optimizer)) {
    return fmt::format(
        "the age of the gradients of {} ranks that do not wait for each other acts as more momentum, and optimizer {} "
        "may diverge; a smaller hparam optimizer_momentum_momentum or learning_rate helps, and so does "
        "--sum_updates={}, which makes one update of that many gradients",
        workers, optimizer, workers);
  }
  return "";
}

}  // namespace lockstep
