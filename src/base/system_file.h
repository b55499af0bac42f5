#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace lockstep {

// What a file of /proc or /sys has, whose size nobody knows before it has been read; "" of one that is gone, or not for
// us. A file of a user's is read by base/input_file.h.
inline std::string read_system_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace lockstep
