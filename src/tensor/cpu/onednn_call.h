#pragma once

#include <array>
#include <cstddef>
#include <dnnl.hpp>
#include <new>

#include "base/error.h"
#include "tensor/allocator.h"

namespace lockstep::cpu {

// Throws OutOfMemory unless there is memory for a primitive, some megabytes of code and description. Called before one
// is made: oneDNN does not check whether it gets the memory, and ends the process with SIGSEGV if not (`ulimit -v`).
inline void require_memory_for_primitive() {
  constexpr std::size_t kMostBytes = 4 << 20;
  static_cast<void>(HostAllocator().allocate(kMostBytes));  // given back at once, and never touched
}

inline void check_status(dnnl_status_t status, const char* refusal) {
  if (status == dnnl_out_of_memory) throw std::bad_alloc();
  LS_CHECK(status == dnnl_success, refusal);
}

// Runs a primitive through the C interface: the C++ one would build a map of the arguments for each call. refusal: the
// message if oneDNN does not run it.
template <std::size_t Count>
void execute(const dnnl::primitive& primitive, const dnnl::stream& stream,
             const std::array<dnnl_exec_arg_t, Count>& arguments, const char* refusal) {
  const dnnl_status_t status =
      dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(Count), arguments.data());
  check_status(status, refusal);
}

}  // namespace lockstep::cpu
