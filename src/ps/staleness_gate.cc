#include "ps/staleness_gate.h"

#include <fmt/format.h>

#include "base/error.h"

namespace lockstep {

std::int64_t StalenessGate::pull() {
  LS_CHECK(may_pull(), fmt::format("a pull while {} are outstanding", pulls_.size()));
  pulls_.emplace(pulled_, updates_);
  return pulled_++;
}

bool StalenessGate::may_add(std::int64_t pull) const {
  LS_CHECK(pulls_.contains(pull), fmt::format("pull {} is not outstanding", pull));
  if (!bound_) return true;
  if (*bound_ == 0) return pull == pulls_.begin()->first;
  const bool fills = added_ + 1 == sum_;
  const std::int64_t updates = updates_ + (fills ? 1 : 0);
  std::int64_t place = fills ? 0 : added_ + 1;  // in the sums to come, of the oldest outstanding one
  for (const auto& [other, updates_before] : pulls_) {
    if (other == pull) continue;
    if (updates - updates_before + place / sum_ > *bound_) return false;
    ++place;
  }
  return true;
}

std::int64_t StalenessGate::add(std::int64_t pull) {
  LS_CHECK(may_add(pull), fmt::format("the gradient of pull {} would make others too stale", pull));
  const auto found = pulls_.find(pull);
  const std::int64_t staleness = updates_ - found->second;
  pulls_.erase(found);
  if (++added_ == sum_) {
    added_ = 0;
    ++updates_;
  }
  return staleness;
}

void StalenessGate::forget(std::int64_t pull) {
  LS_CHECK(pulls_.erase(pull) == 1, fmt::format("pull {} is not outstanding", pull));
}

void StalenessGate::update_short() {
  LS_CHECK(pulls_.empty(), fmt::format("a short update while {} pulls are outstanding", pulls_.size()));
  LS_CHECK(added_ > 0, "an update of nothing");
  added_ = 0;
  ++updates_;
}

}  // namespace lockstep
