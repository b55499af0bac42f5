#pragma once

#include <mpi.h>

#include "tensor/dtype.h"

// A header for the .cc files that call MPI.
namespace lockstep {

// MPI's names for adding up values of a type.
struct MpiSum {
  MPI_Datatype type;
  MPI_Op operation;
};

// The sums that are ours: bfloat16 and float16, which MPI lacks, are added in float32 and rounded to nearest even, so
// that a sum over W ranks is rounded W - 1 times; uint8 is added modulo 256 (Open MPI 4.1.4 stops at 255 where it uses
// AVX: its component op/avx adds with saturation). Making them and freeing them is local; both between MPI's init and
// finalize.
class MpiSums {
 public:
  void make();
  void free();

  // REQUIRES: summable(dtype), make() was called.
  MpiSum of(DType dtype) const;

 private:
  MPI_Op uint8_ = MPI_OP_NULL;
  MPI_Op bfloat16_ = MPI_OP_NULL;
  MPI_Op float16_ = MPI_OP_NULL;
};

}  // namespace lockstep
