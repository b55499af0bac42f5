#include "train/wait_for_chief.h"

#include <cstdint>

namespace lockstep {

void wait_for_chief(Communicator& world, const std::function<bool(std::chrono::milliseconds)>& done) {
  constexpr std::chrono::seconds kPatience{1};
  std::int32_t over = 0;
  while (over == 0) {
    if (world.rank() == 0) over = done(kPatience) ? 1 : 0;
    broadcast_value(world, over, 0);
  }
}

}  // namespace lockstep
