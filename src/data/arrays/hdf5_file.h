#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/arrays/hdf5_handle.h"
#include "data/file_stamp.h"

namespace lockstep {

// An HDF5 file, open for reading. Any thread may call. All errors name the file, and say what HDF5 says.
class Hdf5File {
 public:
  // Throws Error(missing_input) if the file cannot be read; Error(bad_data) if it is not an HDF5 file, is damaged, or
  // some program has it open for writing.
  explicit Hdf5File(const std::string& path);

  const FileStamp& stamp() const { return stamp_; }
  std::int64_t id() const { return file_.id(); }

  // Returns whether the root group has a member of that name, of any kind.
  bool has(const std::string& name) const;

  // Opens a data set of the root group, without a chunk cache. Throws Error(bad_data) if there is none of this name,
  // with the names of those that exist, and for any link but a hard one: nothing outside the file is ever opened.
  Hdf5Handle open_data_set(const std::string& name) const;

  // A whole number given as an attribute of a data set; none if there is no such attribute. Throws Error(bad_data) if
  // it is anything but one whole number.
  std::optional<std::int64_t> integer_attribute(const std::string& data_set, const std::string& attribute) const;

  // Throws Error(bad_data): "'PATH', data set NAME: what".
  [[noreturn]] void refuse(const std::string& data_set, const std::string& what) const;

 private:
  std::string contents() const;  // the names in its root group, for messages

  FileStamp stamp_;
  Hdf5Handle file_;
};

}  // namespace lockstep
