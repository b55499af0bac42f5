#pragma once

#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

// Open files as the system knows them. Nothing here throws: the caller knows what a failure means, and reports it.
namespace lockstep {

// Owns the descriptor of an open file or folder and closes it. Move-only. One thread at a time.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}  // takes ownership; negative: none
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  // Returns the system's error, 0 for none. Network file systems may report only here that a write failed.
  int close();

 private:
  int number_ = -1;
};

// Repeats a system call until no signal interrupts it.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// Calls open(2); programs that this process starts do not inherit the file. If the result is not open, errno says why.
Descriptor open_descriptor(const std::string& path, int flags, mode_t mode = 0);

// Result of reading or writing: the number of bytes, and the system's error that stopped it, 0 = none.
struct Transfer {
  std::size_t bytes = 0;
  int error = 0;
};

// Fills `into`; fewer bytes without an error mean the end of the file. The first form reads from the file's position;
// the second reads at an offset, and any number of threads may use it on one descriptor.
Transfer read_fully(int descriptor, std::span<std::byte> into);
Transfer read_fully(int descriptor, std::span<std::byte> into, std::int64_t offset);

// Writes all of `from`, at the file's position or at an offset, unless there is an error (EIO if a write ends
// short); in one call if the system takes it in one piece.
Transfer write_fully(int descriptor, std::span<const std::byte> from);
Transfer write_fully(int descriptor, std::span<const std::byte> from, std::int64_t offset);

// The system's text of an error, "No such file or directory"; for too many open files with the limit and the cure.
std::string system_message(int error);
// The text "No space left on device; CURE"; for too many open files system_message() alone, which has that error's
// cure.
std::string failure_text(int error, std::string_view cure);

}  // namespace lockstep
