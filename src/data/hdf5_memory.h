#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace lockstep {

// The memory that HDF5's core driver builds a file in, allocated in advance as large as the file will be: nothing is
// copied while the file grows, pages that were not written to cost nothing, and the bytes are ours when HDF5 has closed
// the file. What HDF5 leaves out is zero, so that the same calls give the same bytes. Its address is HDF5's until the
// file is closed.
class Hdf5Memory {
 public:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  using Bytes = std::unique_ptr<std::byte, Free>;

  // Throws Error(internal) if there is not so much memory.
  explicit Hdf5Memory(std::size_t expected);
  Hdf5Memory(const Hdf5Memory&) = delete;
  Hdf5Memory& operator=(const Hdf5Memory&) = delete;

  // Makes files that are created with these properties (of H5P_FILE_ACCESS) lie here. increment: what they grow by,
  // which HDF5 clears before it fills it.
  static constexpr std::size_t kIncrement = 1 << 20;  // best while a cache holds it
  void use_for(std::int64_t file_access, std::size_t increment = kIncrement);

  bool closed() const { return closed_; }        // HDF5 has finished a file
  bool exhausted() const { return exhausted_; }  // HDF5 wanted more than there was

  std::span<const std::byte> first(std::size_t count) const { return {bytes_.get(), count}; }
  std::size_t size() const { return size_; }
  // Gives up the first `count` bytes, with `tail` appended. Throws Error(internal) if memory runs out.
  Bytes take(std::size_t count, std::span<const std::byte> tail);

 private:
  struct Calls;  // HDF5 makes them
  bool grow(std::size_t size);

  Bytes bytes_;
  std::size_t size_;
  bool closed_ = false;
  bool exhausted_ = false;
};

}  // namespace lockstep
