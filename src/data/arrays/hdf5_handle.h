#pragma once

#include <cstdint>
#include <string>
#include <utility>

// Helpers for every use of the HDF5 library. hdf5.h itself stays in the .cc files: it is a private dependency. The
// library locks itself (CMake asks for its thread-safe flavour), so that any thread may call it.
namespace lockstep {

// Owner of one of the library's identifiers (hid_t). Negative: none.
class Hdf5Handle {
 public:
  using Close = int (*)(std::int64_t);
  Hdf5Handle(std::int64_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }

  std::int64_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  std::int64_t id_;
  Close close_;
};

// Silences HDF5's own messages about failed calls on this thread while it lives: the caller reports a failure, once, in
// our words.
class QuietHdf5 {
 public:
  QuietHdf5();
  ~QuietHdf5();
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  int (*print_)(std::int64_t, void*) = nullptr;
  void* print_data_ = nullptr;
};

// The name of a kind of link: "a soft link". type: an H5L_type_t other than H5L_TYPE_HARD.
const char* hdf5_link_kind(int type);

// The library's innermost complaint about this thread's last call, which failed.
std::string hdf5_complaint();

}  // namespace lockstep
