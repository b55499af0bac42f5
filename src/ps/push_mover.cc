#include "ps/push_mover.h"

#include <utility>

#include "ps/rest.h"

namespace lockstep {

void PushMover::begin() {
  stop_ = false;
  moving_ = thread_.add([this] {
    RestBetweenPolls rest(nullptr);
    while (!stop_ && client_.pushing()) rest.pause(true);
  });
}

void PushMover::end() {
  stop_ = true;
  thread_.wait(std::exchange(moving_, 0));
}

}  // namespace lockstep
