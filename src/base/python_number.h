#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// Numbers as Python's int() and float() read them from ASCII text, because tensor2tensor's hparams do: blanks around
// and single underscores between digits are allowed, a plus sign too.
namespace lockstep {

struct PythonInteger {
  enum class Status { valid, malformed, too_large };  // too_large: an integer, but beyond 64 bits
  Status status = Status::malformed;
  std::int64_t value = 0;
};

PythonInteger parse_python_integer(std::string_view text);

// "inf", "infinity" and "nan", in capitals or not, count as numbers; values out of range of a double become inf or 0.
std::optional<double> parse_python_float(std::string_view text);

}  // namespace lockstep
