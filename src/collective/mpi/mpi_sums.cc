#include "collective/mpi/mpi_sums.h"

#include <fmt/format.h>

#include <array>

#include "collective/mpi/mpi_call.h"
#include "collective/sum_kernels.h"

namespace lockstep {
namespace {

// MPI's signature of an operation: to[i] = from[i] + to[i].
template <DType dtype>
void add(void* from, void* to, int* count, MPI_Datatype* /*type*/) {
  const std::array<const void*, 2> sources{from, to};
  sum_into(dtype, sources, {&to, 1}, *count);
}

}  // namespace

void MpiSums::make() {
  constexpr int kCommutes = 1;
  LS_MPI(MPI_Op_create(add<DType::uint8>, kCommutes, &uint8_), 1);
  LS_MPI(MPI_Op_create(add<DType::bfloat16>, kCommutes, &bfloat16_), 1);
  LS_MPI(MPI_Op_create(add<DType::float16>, kCommutes, &float16_), 1);
}

void MpiSums::free() {
  LS_MPI(MPI_Op_free(&uint8_), 1);
  LS_MPI(MPI_Op_free(&bfloat16_), 1);
  LS_MPI(MPI_Op_free(&float16_), 1);
}

MpiSum MpiSums::of(DType dtype) const {
  switch (dtype) {
    case DType::float32:
      return {MPI_FLOAT, MPI_SUM};
    case DType::float64:
      return {MPI_DOUBLE, MPI_SUM};
    case DType::uint8:
      return {MPI_UINT8_T, uint8_};
    case DType::bfloat16:
      return {MPI_UINT16_T, bfloat16_};
    case DType::float16:
      return {MPI_UINT16_T, float16_};
    default:
      fail(LS_HERE("MpiSums::of(dtype)"), fmt::format("there are no sums of {}", name(dtype)));
  }
}

}  // namespace lockstep
