#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "data/hdf5_handle.h"
#include "data/hdf5_memory.h"
#include "tensor/parameter_table.h"

namespace lockstep {

// An HDF5 file that is being made in memory, in the way that checkpoints are: in a format that does not depend on the
// version of the library, without times, with a checksum over each data set. One thread at a time. Throws
// Error(internal) that says what the library says.
class CheckpointHdf5Writer {
 public:
  explicit CheckpointHdf5Writer(Hdf5Memory& memory);  // which outlives it

  void attribute(const char* name, const std::string& text);
  void attribute(const char* name, std::int64_t value);
  void attribute(const char* name, std::uint64_t value);

  // A data set for each variable of the table. values: where a variable's elements begin; asked for one after the
  // other, and read before the next one is asked for.
  using Values = std::function<const float*(const Variable&)>;
  void variables(const std::string& group, const ParameterTable& table, const Values& values);

  // All is in memory but for the end that closing makes; returns the bytes that the file will have.
  std::size_t finish();

 private:
  void make_group(std::string_view path);
  void data_set(const std::string& path, const Shape& shape, const float* values);
  void put_attribute(const char* name, std::int64_t type, const void* value);
  // Returns `result` if it is no failure.
  std::int64_t checked(std::int64_t result, std::string_view what) const;

  Hdf5Memory& memory_;
  QuietHdf5 quiet_;
  Hdf5Handle file_;
  std::set<std::string, std::less<>> groups_;
};

// The extents of a chunk: the whole, or as many rows as 4 MiB take, in equal parts so that little is padded. Pure.
Shape chunk_of(const Shape& shape);

}  // namespace lockstep
