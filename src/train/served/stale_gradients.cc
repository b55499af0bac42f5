#include "train/served/stale_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace lockstep {
namespace {

// The optimizers that divide by a mean of squared gradients, so that one old gradient may be a large step.
constexpr std::string_view kAdaptive[] = {"adam", "adamw", "rmsprop", "adagrad", "lamb", "adafactor"};

}  // namespace

std::string warn_of_stale_gradients(const TrainSettings& settings, const std::string& optimizer, int workers) {
  const bool adaptive = std::ranges::find(kAdaptive, optimizer) != std::end(kAdaptive);
  if (!adaptive || workers <= 1 || settings.max_staleness || settings.sum_updates > 1) return "";
  return fmt::format(
      "optimizer {} is known to learn badly from gradients of any age, as those of {} ranks are that do not wait for "
      "each other; --max_staleness=4 bounds their age, --sum_updates={} adds up as many for an update",
      optimizer, workers, workers);
}

}  // namespace lockstep
