#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/hdf5_contents.h"
#include "data/arrays/element_type.h"
#include "data/arrays/hdf5_file.h"

namespace lockstep {

// An HDF5 file whose contents are not trusted: what it returns is of the kind asked for and lies in this file, or an
// Error(bad_data) names the file, the place and the fault. One thread at a time.
class CheckpointHdf5Reader {
 public:
  explicit CheckpointHdf5Reader(const std::string& path);

  // Attributes of the file's root. Nothing if there is none of that name.
  std::optional<std::string> text(const char* name) const;
  std::optional<std::int64_t> whole_number(const char* name) const;  // not negative
  std::optional<std::uint64_t> unsigned_number(const char* name) const;

  // Lists the contents of the file (checkpoint/hdf5_contents.h). The functions below find nothing before this call:
  // first the attributes say whether this program knows the file's version.
  void inspect();

  // The names directly in a group; none if there is no such group.
  std::vector<std::string> members(const std::string& group) const;
  // The data sets in a group and in its subgroups, by their names from the group on: "dense_0/kernel".
  std::vector<std::string> data_sets(const std::string& group) const;

  // The extents of a data set; nothing if there is no data set of this name.
  std::optional<std::vector<std::int64_t>> extents(const std::string& data_set) const;
  // Reads a data set as float32; all values must be finite. REQUIRES: it exists; `into` has as many elements.
  void read(const std::string& data_set, std::span<float> into) const;

  // Reads a data set of bytes, at most so many and no more than the whole file has; nothing if there is none of this
  // name.
  std::optional<std::string> bytes(const std::string& data_set, std::int64_t most) const;

  // Reads a data set of 32- or 64-bit integers, each of them at least `least`; at most so many elements, and no more
  // than the whole file has room for. REQUIRES: it exists.
  std::vector<std::int64_t> whole_numbers(const std::string& data_set, std::int64_t least, std::int64_t most) const;

  [[noreturn]] void refuse(const std::string& what) const;  // Error(bad_data): "'PATH': what"

 private:
  Hdf5Handle open_data_set(const std::string& path) const;  // none if there is no data set of that name
  // Opens a data set that exists and has its values in this file; refuses other elements than wanted as `otherwise`
  // says.
  Hdf5Handle open_values(const std::string& data_set, bool (*wanted)(ElementType), const char* otherwise) const;
  // Reads all of an opened data set as elements of this type in memory. REQUIRES: it has an element.
  void read_values(const Hdf5Handle& object, const std::string& data_set, std::int64_t type, void* into) const;
  // Elements of an opened data set; refuses any but a row of at most so many, unpacked in the file.
  std::size_t row_size(const Hdf5Handle& object, const std::string& data_set, std::int64_t most,
                       const char* elements) const;
  std::optional<Hdf5Handle> attribute(const char* name) const;

  Hdf5File file_;
  Hdf5Contents contents_;
};

}  // namespace lockstep
