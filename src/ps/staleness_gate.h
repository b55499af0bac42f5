#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace lockstep {

// Decides when values may be pulled and when a gradient may be added, so that no gradient's staleness, the updates made
// between its pull and its own update, exceeds a bound. An update sums `sum` gradients. One thread.
//
// A pull is outstanding until its gradient is added. The gate keeps this true: were the outstanding gradients added in
// the order of their pulls, each would keep the bound. Hence the oldest may always be added, and nothing locks up; and
// a gradient may be added before older ones if it stays true for these. With a bound of 0 only the oldest is added, so
// that sums have the bits of one client that computes all gradients itself.
class StalenessGate {
 public:
  StalenessGate(std::optional<std::int64_t> max_staleness, int sum) : bound_(max_staleness), sum_(sum) {}

  bool may_pull() const { return !bound_ || (added_ + std::ssize(pulls_)) / sum_ <= *bound_; }
  // Returns the number of a new pull: 0, 1, ...
  std::int64_t pull();

  bool may_add(std::int64_t pull) const;
  // Adds the gradient of a pull, which ends the pull, and returns the gradient's staleness. The gradient that fills the
  // sum makes the update.
  std::int64_t add(std::int64_t pull);

  // Ends a pull whose gradient will not come.
  void forget(std::int64_t pull);
  // Makes an update of a sum that is not full. Requires that no pull is outstanding.
  void update_short();

 private:
  std::optional<std::int64_t> bound_;
  std::int64_t sum_;
  std::map<std::int64_t, std::int64_t> pulls_;  // outstanding ones, oldest first, and the updates made before each
  std::int64_t pulled_ = 0;
  std::int64_t updates_ = 0;
  std::int64_t added_ = 0;  // gradients in the sum that is not applied yet
};

}  // namespace lockstep
