#include "data/arrays/hdf5_types.h"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace lockstep {
namespace {

// Bit fields of a float type: sign, exponent (with its bias) and mantissa.
struct FloatFields {
  std::size_t sign, exponent, exponent_bits, mantissa, mantissa_bits, bias;
  bool operator==(const FloatFields&) const = default;
};
constexpr FloatFields kHalf{15, 10, 5, 0, 10, 15};
constexpr FloatFields kSingle{31, 23, 8, 0, 23, 127};
constexpr FloatFields kDouble{63, 52, 11, 0, 52, 1023};

// Accepts little and big endian; VAX has a third byte order.
bool fills_its_bytes(hid_t type) {
  const H5T_order_t order = H5Tget_order(type);
  const bool known =
      order == H5T_ORDER_LE || order == H5T_ORDER_BE || (order == H5T_ORDER_NONE && H5Tget_size(type) == 1);
  return known && H5Tget_precision(type) == 8 * H5Tget_size(type) && H5Tget_offset(type) == 0;
}

std::optional<ElementType> float_type(hid_t type) {
  FloatFields fields{};
  H5Tget_fields(type, &fields.sign, &fields.exponent, &fields.exponent_bits, &fields.mantissa, &fields.mantissa_bits);
  fields.bias = H5Tget_ebias(type);
  if (H5Tget_norm(type) != H5T_NORM_IMPLIED || !fills_its_bytes(type)) return std::nullopt;
  const std::size_t size = H5Tget_size(type);
  if (size == 2 && fields == kHalf) return ElementType::float16;
  if (size == 4 && fields == kSingle) return ElementType::float32;
  if (size == 8 && fields == kDouble) return ElementType::float64;
  return std::nullopt;
}

std::optional<ElementType> integer_type(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  if (!fills_its_bytes(type)) return std::nullopt;
  const bool has_sign = H5Tget_sign(type) != H5T_SGN_NONE;
  switch (size) {
    case 1:
      return has_sign ? ElementType::int8 : ElementType::uint8;
    case 2:
      return has_sign ? ElementType::int16 : ElementType::uint16;
    case 4:
      return has_sign ? ElementType::int32 : ElementType::uint32;
    case 8:
      return has_sign ? ElementType::int64 : ElementType::uint64;
    default:
      return std::nullopt;
  }
}

// h5py writes a complex number as a record of r and i, and a boolean as an enumeration of FALSE and TRUE.
bool has_member(hid_t type, const char* member) { return H5Tget_member_index(type, member) >= 0; }

}  // namespace

const char* name_of_other_type(std::int64_t type) {
  switch (H5Tget_class(type)) {
    case H5T_STRING:
      return "text";
    case H5T_COMPOUND:
      return has_member(type, "r") && has_member(type, "i") ? "complex numbers" : "records of several fields";
    case H5T_ENUM:
      return has_member(type, "FALSE") && has_member(type, "TRUE") ? "booleans" : "an enumeration";
    case H5T_VLEN:
      return "rows of different lengths";
    case H5T_ARRAY:
      return "arrays as elements";
    case H5T_REFERENCE:
      return "references";
    case H5T_INTEGER:
    case H5T_FLOAT:
      return "numbers of an unusual format";
    default:
      return "something else";
  }
}

std::optional<ElementType> plain_type(std::int64_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return integer_type(type);
    case H5T_FLOAT:
      return float_type(type);
    default:
      return std::nullopt;
  }
}

Hdf5Handle memory_type(ElementType type) {
  const hid_t natives[] = {H5T_NATIVE_INT8,  H5T_NATIVE_INT16,  H5T_NATIVE_INT32,  H5T_NATIVE_INT64,
                           H5T_NATIVE_UINT8, H5T_NATIVE_UINT16, H5T_NATIVE_UINT32, H5T_NATIVE_UINT64,
                           H5T_NATIVE_FLOAT, H5T_NATIVE_FLOAT,  H5T_NATIVE_DOUBLE};
  Hdf5Handle copy(H5Tcopy(natives[static_cast<std::size_t>(type)]), H5Tclose);
  if (type == ElementType::float16) {  // HDF5 1.10 has no name for it
    H5Tset_fields(copy.id(), kHalf.sign, kHalf.exponent, kHalf.exponent_bits, kHalf.mantissa, kHalf.mantissa_bits);
    H5Tset_size(copy.id(), 2);
    H5Tset_ebias(copy.id(), kHalf.bias);
  }
  return copy;
}

std::vector<std::uint64_t> hdf5_extents(std::int64_t data_set) {
  const Hdf5Handle space(H5Dget_space(data_set), H5Sclose);
  if (H5Sget_simple_extent_type(space.id()) == H5S_NULL) return {0};
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int axes = H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
  return {extents.begin(), extents.begin() + std::max(axes, 0)};
}

}  // namespace lockstep
