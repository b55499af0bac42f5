#include "collective/host_values.h"

#include <fmt/format.h>

#include "base/error.h"

namespace lockstep {

void check_home(const Tensor& values, Event after) {
  LS_CHECK(after.handle == nullptr, "a device's event given to a communicator that works on host memory");
  LS_CHECK(values.device().kind == Device::Kind::cpu,
           fmt::format("the values lie on {}, this communicator works on host memory", values.device().text()));
}

void check_summable(const Tensor& values, Event after) {
  LS_CHECK(summable(values.dtype()), fmt::format("there are no sums of {}", name(values.dtype())));
  check_home(values, after);
}

}  // namespace lockstep
