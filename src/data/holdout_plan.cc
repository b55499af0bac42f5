#include "data/holdout_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "data/permutation.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse(const HoldoutPlan::Options& options, std::int64_t units, const char* what) {
  const std::string whole = options.block == 0
                                ? fmt::format("{} training samples", options.samples)
                                : fmt::format(
                                      "{} whole blocks of {} training samples, which are read, and held out, "
                                      "together",
                                      units, options.block);
  const std::string cure = units < 2
                               ? "leave it out"
                               : fmt::format("give a share between {:.3g} and {:.3g}", 1.0 / static_cast<double>(units),
                                             1 - 1.0 / static_cast<double>(units));
  throw Error(ExitCode::configuration, fmt::format("--holdout={} of {} {}; {}", options.share, whole, what, cure),
              Scope::every_rank);
}

}  // namespace

HoldoutPlan::HoldoutPlan(const Options& options)
    : samples_(options.samples), unit_(std::max<std::int64_t>(options.block, 1)) {
  const std::int64_t units = options.samples / unit_;
  const std::int64_t count = std::llround(options.share * static_cast<double>(units));
  if (count == 0) refuse(options, units, "is none");
  if (count * unit_ >= options.samples) refuse(options, units, "leaves none to train on");
  units_.reserve(static_cast<std::size_t>(count));
  for (std::int64_t place = 0; place < count; ++place) {
    units_.push_back(permute(place, units, {.seed = options.seed, .purpose = Purpose::holdout}));
  }
  std::ranges::sort(units_);
}

std::int64_t HoldoutPlan::held_out_sample(std::int64_t sample) const {
  return units_[static_cast<std::size_t>(sample / unit_)] * unit_ + sample % unit_;
}

std::int64_t HoldoutPlan::remaining_sample(std::int64_t sample) const {
  return remaining_block(sample / unit_) * unit_ + sample % unit_;
}

// Before the i-th held-out unit there are units_[i] - i remaining ones, which never decreases with i. So the held-out
// units before this block are those with units_[i] - i <= block: binary search for their number.
std::int64_t HoldoutPlan::remaining_block(std::int64_t block) const {
  std::size_t before = 0;
  std::size_t end = units_.size();
  while (before < end) {
    const std::size_t middle = (before + end) / 2;
    if (units_[middle] - static_cast<std::int64_t>(middle) <= block) {
      before = middle + 1;
    } else {
      end = middle;
    }
  }
  return block + static_cast<std::int64_t>(before);
}

}  // namespace lockstep
