#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/shape.h"

namespace lockstep {

// An array of unsigned bytes from an idx file, the format that MNIST came in:
//
//   0 0 type D       4 bytes: two zeros, the type of the elements (8 = unsigned byte), the number of dimensions
//   extent * D       32-bit unsigned each, most significant byte first: (N) for labels, (N, rows, columns) for images
//   value * product  the elements, the last extent the fastest
struct IdxArray {
  Shape extents;
  std::vector<std::uint8_t> values;
};

// Reads a whole idx file of unsigned bytes, plain or packed by gzip. Nothing is trusted before it is read: a damaged
// header costs no more memory than the file can fill. Throws Error(missing_input) if the file cannot be read;
// Error(bad_data) that names file and numbers if it is not an idx file of that many dimensions, is empty, cut off or
// damaged, or longer than its header says.
IdxArray read_idx(const std::string& path, int dimensions);

}  // namespace lockstep
