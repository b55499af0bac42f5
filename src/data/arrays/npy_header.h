#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/arrays/element_type.h"

namespace lockstep {

// The beginning of a .npy file, as numpy.lib.format describes it (NEP 1 and its versions 2 and 3):
//
//   0x93 N U M P Y   6 bytes
//   major minor      the version: 1.0, 2.0 or 3.0
//   length           of the text, 2 bytes in version 1, else 4, least significant first
//   text             a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (60000, 28, 28), }
//
// and then the elements. The text is read as the few literals it is made of, and nothing else: never as Python.
struct NpyHeader {
  ElementType type = ElementType::float32;
  bool other_byte_order = false;       // the elements' byte order is not this machine's
  bool fortran_order = false;          // the first axis is the fastest
  std::vector<std::uint64_t> extents;  // the header's, not yet checked
  std::size_t bytes = 0;               // size of the header; the elements begin there
};

// Limit of a header, of which no array of plain numbers takes as much.
inline constexpr std::size_t kMaxNpyHeaderBytes = 64 << 10;

// Parses the first bytes of a file: at least kMaxNpyHeaderBytes, or all that it has. `path` is for the messages. Throws
// Error(bad_data) that names file, offset and the text there if it is not such a header, if it is cut off, or if the
// elements are not plain numbers (Python objects, text, records, complex numbers, ...).
NpyHeader parse_npy_header(const std::string& path, std::span<const std::byte> beginning);

}  // namespace lockstep
