#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "idx_files.h"

namespace lockstep {

// Makes a .npy file in memory from the text of its header as Python would print it, padded and terminated as numpy
// does.
Bytes npy_bytes(const std::string& header, const Bytes& values, int version = 1);

std::string npy_header(const std::string& type, const std::vector<std::int64_t>& shape);

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Makes an array of numbers of type T.
template <class T>
Bytes npy(const std::vector<std::int64_t>& shape, const std::vector<T>& values) {
  const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  const std::string type = std::string(sizeof(T) == 1 ? "|" : "<") + kind + std::to_string(sizeof(T));
  return npy_bytes(npy_header(type, shape), bytes_of(values));
}

}  // namespace lockstep
