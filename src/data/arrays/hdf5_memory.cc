#include "data/arrays/hdf5_memory.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace lockstep {
namespace {

[[noreturn]] void out_of_memory(std::size_t bytes) {
  throw Error(ExitCode::internal,
              fmt::format("no memory for an HDF5 file of {:.0f} MB, as a checkpoint is, which is built in memory, next "
                          "to the state it holds. Give this host's ranks more memory or run fewer of them there",
                          static_cast<double>(bytes) / (1 << 20)));
}

}  // namespace

// The library's file image callbacks (https://docs.hdfgroup.org/hdf5/v1_14/_f_i_l_e__i_m_a_g_e.html), by which it
// allocates and frees memory. There is one file at a time, so that all of them refer to the same bytes.
struct Hdf5Memory::Calls {
  static Hdf5Memory& of(void* data) { return *static_cast<Hdf5Memory*>(data); }

  static void* allocate(std::size_t size, H5FD_file_image_op_t, void* data) {
    return of(data).grow(size) ? of(data).bytes_.get() : nullptr;
  }
  static void* copy(void* to, const void* from, std::size_t size, H5FD_file_image_op_t, void*) {
    return std::memmove(to, from, size);
  }
  static void* resize(void*, std::size_t size, H5FD_file_image_op_t operation, void* data) {
    return allocate(size, operation, data);
  }
  static herr_t release(void*, H5FD_file_image_op_t operation, void* data) {
    if (operation == H5FD_FILE_IMAGE_OP_FILE_CLOSE) of(data).closed_ = true;
    return 0;
  }
  static void* share(void* data) { return data; }
  static herr_t forget(void*) { return 0; }
};

Hdf5Memory::Hdf5Memory(std::size_t expected)
    : bytes_(static_cast<std::byte*>(std::calloc(1, expected))), size_(expected) {
  if (bytes_ == nullptr) out_of_memory(expected);
}

void Hdf5Memory::use_for(std::int64_t file_access, std::size_t increment) {
  H5FD_file_image_callbacks_t calls{Calls::allocate, Calls::copy,   Calls::resize, Calls::release,
                                    Calls::share,    Calls::forget, this};
  LS_CHECK(H5Pset_fapl_core(file_access, increment, false) >= 0, "HDF5 has no core driver");
  LS_CHECK(H5Pset_file_image_callbacks(file_access, &calls) >= 0, "HDF5 takes no calls of ours");
}

Hdf5Memory::Bytes Hdf5Memory::take(std::size_t count, std::span<const std::byte> tail) {
  if (!grow(count + tail.size())) out_of_memory(count + tail.size());
  std::ranges::copy(tail, bytes_.get() + count);
  size_ = 0;
  return std::move(bytes_);
}

bool Hdf5Memory::grow(std::size_t size) {
  if (size <= size_) return true;
  const std::size_t larger = size + size / 8;
  auto* bytes = static_cast<std::byte*>(std::realloc(bytes_.get(), larger));
  if (bytes == nullptr) {
    exhausted_ = true;
    return false;
  }
  static_cast<void>(bytes_.release());
  bytes_.reset(bytes);
  std::memset(bytes + size_, 0, larger - size_);
  size_ = larger;
  return true;
}

}  // namespace lockstep
