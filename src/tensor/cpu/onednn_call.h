#pragma once

#include <array>
#include <cstddef>
#include <dnnl.hpp>

#include "base/error.h"

namespace lockstep::cpu {

// Runs a primitive through the C interface: the C++ one would build a map of the arguments for each call. refusal: what
// to say should oneDNN not run it.
template <std::size_t Count>
void execute(const dnnl::primitive& primitive, const dnnl::stream& stream,
             const std::array<dnnl_exec_arg_t, Count>& arguments, const char* refusal) {
  const dnnl_status_t status =
      dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(Count), arguments.data());
  LS_CHECK(status == dnnl_success, refusal);
}

}  // namespace lockstep::cpu
