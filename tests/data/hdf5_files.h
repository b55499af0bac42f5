#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "idx_files.h"

namespace lockstep {

// Storage of a data set.
struct Hdf5Layout {
  std::vector<std::uint64_t> chunk{};  // empty: contiguous
  bool shuffle = false;
  bool gzip = false;
  bool checksum = false;
  bool unknown_filter = false;
};

// An HDF5 file being written; valid and closed when it goes out of scope. Types are the library's own identifiers.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::string& path);
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  template <class T>
  void array(const std::string& name, const std::vector<std::uint64_t>& shape, const std::vector<T>& values,
             const Hdf5Layout& layout = {}) {
    write(name, shape, type_of(T{}), values.data(), layout);
  }
  // Writes values of `memory_type`, stored as `type`; only creates the data set if values is nullptr.
  void write(const std::string& name, const std::vector<std::uint64_t>& shape, std::int64_t type, const void* values,
             const Hdf5Layout& layout = {}, std::int64_t memory_type = -1);
  // Writes a chunk's bytes as stored in the file; the filters whose bits are set in `skipped` count as not applied.
  void stored_chunk(const std::string& name, const std::vector<std::uint64_t>& offset, const Bytes& stored,
                    std::uint32_t skipped = 0);
  void group(const std::string& name);
  void attribute(const std::string& data_set, const std::string& name, std::int64_t value);
  void text_attribute(const std::string& data_set, const std::string& name, const std::string& value);

  std::int64_t id() const { return file_; }

 private:
  static std::int64_t type_of(std::uint8_t);
  static std::int64_t type_of(std::int8_t);
  static std::int64_t type_of(std::uint16_t);
  static std::int64_t type_of(std::int32_t);
  static std::int64_t type_of(std::int64_t);
  static std::int64_t type_of(std::uint64_t);
  static std::int64_t type_of(float);
  static std::int64_t type_of(double);

  std::int64_t file_;
};

}  // namespace lockstep
