#include "train/strategy/step_calls.h"

#include <fmt/format.h>

#include <string>

#include "base/counted.h"
#include "base/error.h"

namespace lockstep {
namespace {

// The text is made only when it is needed: a step allocates nothing.
[[noreturn]] void refuse_call(const std::string& why) {
  throw Error(ExitCode::internal,
              why +
                  ". A step is begin_step(); for each share of this rank add_share(), then a backward pass whose "
                  "ranges go to on_gradient_ready(); finish_step() (train/strategy/strategy.h)");
}

constexpr const char* kNoBackward =
    "add_share() was not followed by a whole backward pass: no gradients down to the start of the store were ready";

}  // namespace

void StepCalls::begin() {
  begun_ = true;
  added_ = 0;
  complete_ = true;
}

bool StepCalls::add_share() {
  if (!begun_) refuse_call("add_share() was called, but no begin_step() before it");
  if (!complete_) refuse_call(kNoBackward);
  if (added_ >= shares_) {
    refuse_call(fmt::format("add_share() was called more often in a step than this rank has shares, {}",
                            counted(shares_, "share")));
  }
  complete_ = false;
  return ++added_ == shares_;
}

int StepCalls::gradients(FlatRange range) {
  if (!begun_) refuse_call("gradients are ready, but no begin_step() was called before the backward pass");
  if (added_ == 0) refuse_call("gradients are ready, but no add_share() was called before the backward pass");
  complete_ |= range.begin == 0;
  return added_ - 1;
}

void StepCalls::finish() {
  if (!begun_) refuse_call("finish_step() was called, but no begin_step() before it");
  if (!complete_) refuse_call(kNoBackward);
  if (added_ != shares_) {
    refuse_call(fmt::format("finish_step() was called after {} of the {} of this rank in a step", added_,
                            counted(shares_, "share")));
  }
  begun_ = false;
}

}  // namespace lockstep
