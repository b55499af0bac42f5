#include "collective/watch/wait_for_chief.h"

#include <algorithm>
#include <cstdint>

namespace lockstep {
namespace {

struct WaitState {
  std::int32_t done = 0;     // the chief's
  std::int32_t give_up = 0;  // any rank's
};

}  // namespace

bool wait_for_chief(Communicator& world, const std::function<bool(std::chrono::milliseconds)>& done,
                    const std::atomic<bool>* give_up) {
  constexpr std::chrono::seconds kPatience{1};
  while (true) {
    WaitState mine;
    if (world.rank() == 0) mine.done = done(kPatience) ? 1 : 0;
    mine.give_up = give_up != nullptr && give_up->load() ? 1 : 0;
    const std::vector<WaitState> all = all_gather_value(world, mine);
    if (all.front().done != 0) return true;
    if (std::ranges::any_of(all, [](const WaitState& one) { return one.give_up != 0; })) return false;
  }
}

}  // namespace lockstep
