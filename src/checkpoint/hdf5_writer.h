#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "data/arrays/hdf5_handle.h"
#include "data/arrays/hdf5_memory.h"
#include "tensor/parameter_table.h"

namespace lockstep {

// An HDF5 file built in memory, as checkpoints need it: in a format that does not depend on the library's version,
// without times, with a checksum over each data set. One thread at a time. Throws Error(internal) with the library's
// message.
class CheckpointHdf5Writer {
 public:
  explicit CheckpointHdf5Writer(Hdf5Memory& memory);  // memory outlives it

  void attribute(const char* name, const std::string& text);
  void attribute(const char* name, std::int64_t value);
  void attribute(const char* name, std::uint64_t value);

  // Writes a data set of bytes.
  void bytes(const std::string& name, const std::string& values);
  // Writes a data set of 64-bit integers, and makes its group.
  void whole_numbers(const std::string& path, std::span<const std::int64_t> values);

  // Writes a data set for each variable of the table. values: returns a pointer to a variable's elements; called for
  // one variable after the other, and the elements are read before the next call.
  using Values = std::function<const float*(const Variable&)>;
  void variables(const std::string& group, const ParameterTable& table, const Values& values);

  // Returns the size that the file will have. All of it is in memory except the end, which the destructor writes.
  std::size_t finish();

 private:
  void make_group(std::string_view path);
  // stored, here: the type of an element in the file, and in memory.
  void data_set(const std::string& path, const Shape& shape, std::int64_t stored, std::int64_t here,
                const void* values);
  void put_attribute(const char* name, std::int64_t type, const void* value);
  // Returns `result` unless it is a failure.
  std::int64_t checked(std::int64_t result, std::string_view what) const;

  Hdf5Memory& memory_;
  QuietHdf5 quiet_;
  Hdf5Handle file_;
  std::set<std::string, std::less<>> groups_;
};

// The extents of a chunk: the whole, or as many rows as fit in 4 MiB, in equal parts so that little is padded. Pure.
Shape chunk_of(const Shape& shape, std::int64_t element_bytes = sizeof(float));

}  // namespace lockstep
