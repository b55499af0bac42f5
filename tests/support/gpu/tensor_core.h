#pragma once

#include <cstdint>
#include <source_location>

namespace lockstep::gpu_stand_in {

// add_warp_product() of src/tensor/cuda/nvcc/device_code.h, which adds the terms of each sum in order. For kernels.
void add_warp_product(float (&sums)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                      std::source_location place);

}  // namespace lockstep::gpu_stand_in
