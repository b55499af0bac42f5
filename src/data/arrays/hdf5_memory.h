#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace lockstep {

// Memory in which HDF5's core driver builds a file, allocated in advance at the file's expected size: nothing is copied
// while the file grows, pages that are not written cost nothing, and the bytes are ours when HDF5 has closed the file.
// Bytes that HDF5 does not write are zero, so that the same calls give the same bytes. Outlives the open file: HDF5
// keeps its address.
class Hdf5Memory {
 public:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  using Bytes = std::unique_ptr<std::byte, Free>;

  // Throws Error(internal) if there is not enough memory.
  explicit Hdf5Memory(std::size_t expected);
  Hdf5Memory(const Hdf5Memory&) = delete;
  Hdf5Memory& operator=(const Hdf5Memory&) = delete;

  // Makes HDF5 build files that are created with these properties (of H5P_FILE_ACCESS) here. increment: the bytes by
  // which they grow, which HDF5 clears before it fills them.
  static constexpr std::size_t kIncrement = 1 << 20;  // best while it fits in a cache
  void use_for(std::int64_t file_access, std::size_t increment = kIncrement);

  bool closed() const { return closed_; }        // HDF5 has finished a file
  bool exhausted() const { return exhausted_; }  // HDF5 wanted more than there was

  std::span<const std::byte> first(std::size_t count) const { return {bytes_.get(), count}; }
  std::size_t size() const { return size_; }
  // Hands over the first `count` bytes, with `tail` appended. Throws Error(internal) if memory runs out.
  Bytes take(std::size_t count, std::span<const std::byte> tail);

 private:
  struct Calls;  // callbacks of HDF5
  bool grow(std::size_t size);

  Bytes bytes_;
  std::size_t size_;
  bool closed_ = false;
  bool exhausted_ = false;
};

}  // namespace lockstep
