#include "launch/device/share_devices.h"

#include <algorithm>
#include <cstddef>

namespace lockstep {
namespace {

constexpr int kNone = -1;

class Sharing {
 public:
  Sharing(const std::vector<std::vector<int>>& candidates, const std::vector<int>& load, int most)
      : candidates_(candidates), load_(load), most_(most), taken_(candidates.size(), kNone) {}

  bool seat_all() {
    for (std::size_t taker = 0; taker < candidates_.size(); ++taker) {
      std::vector<bool> tried(load_.size(), false);
      if (!seat(taker, tried)) return false;
    }
    return true;
  }

  const std::vector<int>& taken() const { return taken_; }

 private:
  int& load_of(int thing) { return load_[static_cast<std::size_t>(thing)]; }

  // Gives the taker a thing; for this, others may have to move to another of theirs. tried: things not to be tried
  // again.
  bool seat(std::size_t taker, std::vector<bool>& tried) {
    const std::vector<int>& wanted = candidates_[taker];
    const int best = *std::ranges::min_element(wanted, {}, [this](int thing) { return load_of(thing); });
    if (load_of(best) < most_) {
      take(taker, best);
      return true;
    }
    for (const int thing : wanted) {
      if (tried[static_cast<std::size_t>(thing)]) continue;
      tried[static_cast<std::size_t>(thing)] = true;
      for (std::size_t other = 0; other < taken_.size(); ++other) {
        if (taken_[other] != thing || !seat(other, tried)) continue;
        take(taker, thing);
        return true;
      }
    }
    return false;
  }

  void take(std::size_t taker, int thing) {
    if (taken_[taker] != kNone) --load_of(taken_[taker]);
    taken_[taker] = thing;
    ++load_of(thing);
  }

  const std::vector<std::vector<int>>& candidates_;
  std::vector<int> load_;
  int most_;
  std::vector<int> taken_;
};

}  // namespace

std::vector<int> share_devices(const std::vector<std::vector<int>>& candidates, const std::vector<int>& load) {
  for (int most = 1;; ++most) {
    Sharing sharing(candidates, load, most);
    if (sharing.seat_all()) return sharing.taken();
  }
}

}  // namespace lockstep
