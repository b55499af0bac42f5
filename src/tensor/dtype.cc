#include "tensor/dtype.h"

#include "base/error.h"

namespace lockstep {

const char* name(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return "float32";
    case DType::float64:
      return "float64";
    case DType::int32:
      return "int32";
    case DType::int64:
      return "int64";
    case DType::uint8:
      return "uint8";
    case DType::bfloat16:
      return "bfloat16";
    case DType::float16:
      return "float16";
  }
  fail(LS_HERE("name(dtype)"), "no such dtype");
}

std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::float32:
    case DType::int32:
      return 4;
    case DType::float64:
    case DType::int64:
      return 8;
    case DType::bfloat16:
    case DType::float16:
      return 2;
    case DType::uint8:
      return 1;
  }
  fail(LS_HERE("size_of(dtype)"), "no such dtype");
}

bool summable(DType dtype) { return dtype != DType::int32 && dtype != DType::int64; }

}  // namespace lockstep
