#pragma once

#include "tensor/event.h"
#include "tensor/tensor.h"

// Checks of what is given to a communicator that works on the host's memory. They throw Error(internal).
namespace lockstep {

// The values are on the host, and wait for no event of a device.
void check_home(const Tensor& values, Event after);

// The same, of a type that has sums.
void check_summable(const Tensor& values, Event after = {});

}  // namespace lockstep
