#include "tensor/hidden_gpus.h"

#include <doctest/doctest.h>

#include "support/fake_environment.h"
#include "tensor/device_kind.h"

namespace lockstep {
namespace {

TEST_CASE("an empty CUDA_VISIBLE_DEVICES hides the GPUs, any other does not") {
  CHECK(hides_gpus(fake_environment({{"CUDA_VISIBLE_DEVICES", ""}})));
  CHECK_FALSE(hides_gpus(fake_environment({})));
  CHECK_FALSE(hides_gpus(fake_environment({{"CUDA_VISIBLE_DEVICES", "0"}})));
  CHECK_FALSE(hides_gpus(fake_environment({{"CUDA_VISIBLE_DEVICES", "GPU-5d9a1b0c,1"}})));
}

TEST_CASE("no GPU is looked for where all are hidden, driver or not") {
  if (!hides_gpus(process_environment())) return;  // they are hidden under ctest
  CHECK_FALSE(cuda_devices().is_likely());
}

}  // namespace
}  // namespace lockstep
