#pragma once

#include <cstdint>

#include "tensor/allocator.h"
#include "tensor/cpu/matmul_products.h"

namespace lockstep::cpu {

// Products of bfloat16 by AMX's tiles (amx_tiles.h). A sum starts at the bias or, with Write::add, at c's old value,
// and takes k in order, whatever the other extents: a row's bits do not depend on how many rows there are. AMX treats
// subnormal numbers, read or written, as zeros.
//
// Runs in scratch memory that all products share; nothing is allocated once the largest has run. One thread.
class TileProducts {
 public:
  // REQUIRES: m, n and k at least 1; operands of bfloat16; has_bfloat16_tiles().
  void run(const ProductForm& form, const BFloat16* a, const BFloat16* b, const float* bias, float* c);

 private:
  HostAllocator allocator_;
  Buffer scratch_;
};

}  // namespace lockstep::cpu
