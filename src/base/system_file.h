#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace lockstep {

// The contents of a file of /proc or /sys, whose size is unknown before it is read; "" if it is gone, or may not be
// read. A user's file is read by base/input_file.h.
inline std::string read_system_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace lockstep
