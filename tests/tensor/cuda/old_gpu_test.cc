#include <doctest/doctest.h>

#include "base/error.h"
#include "support/gpu/fake_gpu.h"
#include "tensor/cuda/attention_on_gpu.h"

namespace lockstep {
namespace {

// Simulates a GPU before Ampere while it lives.
struct OldGpu {
  OldGpu() { gpu_stand_in::have_bfloat16(false); }
  ~OldGpu() { gpu_stand_in::have_bfloat16(true); }
  OldGpu(const OldGpu&) = delete;
  OldGpu& operator=(const OldGpu&) = delete;
};

TEST_CASE("a GPU before Ampere says that it has neither bfloat16 nor TF32, and refuses them") {
  const OldGpu old;
  const auto backend = gpu();
  for (const std::string& reason : {backend->bfloat16_products(), backend->tf32_products()}) {
    CAPTURE(reason);
    CHECK(reason.find("cuda:0") != std::string::npos);
    CHECK(reason.find("Ampere") != std::string::npos);
  }
  CHECK_THROWS_AS(backend->set_float32_products(Float32Products::tf32), Error);
  backend->set_float32_products(Float32Products::exact);
}

TEST_CASE("a GPU before Ampere has attention in float32, and refuses that in bfloat16 before a kernel does") {
  const OldGpu old;
  const auto backend = gpu();
  GpuAttention wide = attention_case(attention_shape(2, 16, true), 37);
  CHECK_NOTHROW(run_on_gpu(*backend, wide));
  GpuAttention narrow = attention_case(attention_shape(2, 16, true, DType::bfloat16), 37);
  CHECK_THROWS_WITH_AS(run_on_gpu(*backend, narrow), doctest::Contains("no fast products of bfloat16"), Error);
}

}  // namespace
}  // namespace lockstep
