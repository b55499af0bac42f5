#include "base/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <system_error>

#include "base/resource_limits.h"

namespace lockstep {
namespace {

// Calls until every byte is moved, or a call moves none. call: (bytes done) -> result of the system call.
template <class Call>
Transfer move_fully(std::size_t bytes, Call call) {
  Transfer done;
  while (done.bytes < bytes) {
    const ssize_t count = uninterrupted([&] { return call(done.bytes); });
    if (count < 0) done.error = errno;
    if (count <= 0) break;
    done.bytes += static_cast<std::size_t>(count);
  }
  return done;
}

// Reports a short write without an error as EIO.
Transfer written(Transfer done, std::size_t bytes) {
  if (done.bytes < bytes && done.error == 0) done.error = EIO;
  return done;
}

}  // namespace

int Descriptor::close() {
  if (number_ < 0) return 0;
  const int result = ::close(std::exchange(number_, -1));
  // Linux has closed the file even if a signal interrupted the call: never close it twice.
  return result == 0 || errno == EINTR ? 0 : errno;
}

Descriptor open_descriptor(const std::string& path, int flags, mode_t mode) {
  return Descriptor(uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); }));
}

Transfer read_fully(int descriptor, std::span<std::byte> into) {
  return move_fully(into.size(),
                    [&](std::size_t done) { return ::read(descriptor, into.data() + done, into.size() - done); });
}

Transfer read_fully(int descriptor, std::span<std::byte> into, std::int64_t offset) {
  return move_fully(into.size(), [&](std::size_t done) {
    return ::pread(descriptor, into.data() + done, into.size() - done, offset + static_cast<off_t>(done));
  });
}

Transfer write_fully(int descriptor, std::span<const std::byte> from) {
  const Transfer done = move_fully(from.size(), [&](std::size_t done_bytes) {
    return ::write(descriptor, from.data() + done_bytes, from.size() - done_bytes);
  });
  return written(done, from.size());
}

Transfer write_fully(int descriptor, std::span<const std::byte> from, std::int64_t offset) {
  const Transfer done = move_fully(from.size(), [&](std::size_t done_bytes) {
    return ::pwrite(descriptor, from.data() + done_bytes, from.size() - done_bytes,
                    offset + static_cast<off_t>(done_bytes));
  });
  return written(done, from.size());
}

std::string system_message(int error) { return std::generic_category().message(error) + file_limit_advice(error); }

std::string failure_text(int error, std::string_view cure) {
  std::string text = system_message(error);
  if (file_limit_advice(error).empty()) text.append("; ").append(cure);
  return text;
}

}  // namespace lockstep
