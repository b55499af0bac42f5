// A library for LD_PRELOAD that makes one system call on one folder fail, for failing_calls_test.sh. Counts the calls
// that change the folder or its files (open to write, write, pwrite, fsync, rename, link, unlink, truncate, mkdir), in
// order, except for the logs. Environment:
//   FAILING_FOLDER   the folder, as the program names it
//   FAILING_CALL     which call, from 1; 0 = none
//   FAILING_HOW      an errno's number; or short = half of a write is done, the next one finds the disk full; or
//                    before, after = the process is killed by SIGKILL before or after the call
// At the end of the process the number of calls goes to the descriptor 9, if it is open.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

std::atomic<long> calls{0};
std::atomic<bool> disk_full{false};
std::array<std::atomic<bool>, 1024> ours{};  // descriptors of files in the folder

bool in_folder(const char* path) {
  const char* folder = std::getenv("FAILING_FOLDER");
  if (folder == nullptr || path == nullptr) return false;
  const std::string_view text(path);
  return text.starts_with(folder) && text.find("/log") == std::string_view::npos;
}

bool is_ours(int descriptor) {
  return descriptor >= 0 && static_cast<std::size_t>(descriptor) < ours.size() &&
         ours[static_cast<std::size_t>(descriptor)].load();
}

enum class Fate { work, fail, half, die_after };

// Decides the fate of this call; sets errno if it fails.
Fate fate() {
  const char* which = std::getenv("FAILING_CALL");
  const char* how = std::getenv("FAILING_HOW");
  if (++calls != (which == nullptr ? 0 : std::atol(which)) || how == nullptr) return Fate::work;
  if (std::strcmp(how, "before") == 0) ::kill(::getpid(), SIGKILL);
  if (std::strcmp(how, "after") == 0) return Fate::die_after;
  if (std::strcmp(how, "short") == 0) return Fate::half;
  errno = std::atoi(how);
  return Fate::fail;
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// Makes a call that cannot be done by half.
template <class Call>
auto whole(bool counted, Call call) -> decltype(call()) {
  const Fate mine = counted ? fate() : Fate::work;
  if (mine == Fate::fail) return -1;
  if (mine == Fate::half) {
    errno = EIO;
    return -1;
  }
  const auto result = call();
  if (mine == Fate::die_after) ::kill(::getpid(), SIGKILL);
  return result;
}

template <class Call>
ssize_t part(int descriptor, std::size_t count, Call call) {
  if (!is_ours(descriptor)) return call(count);
  if (disk_full) {
    errno = ENOSPC;
    return -1;
  }
  const Fate mine = fate();
  if (mine == Fate::fail) return -1;
  if (mine == Fate::half) disk_full = true;
  const ssize_t result = call(mine == Fate::half ? count / 2 : count);
  if (mine == Fate::die_after) ::kill(::getpid(), SIGKILL);
  return result;
}

int open_as(const char* name, const char* path, int flags, unsigned mode) {
  const bool counted = in_folder(path) && (flags & (O_WRONLY | O_RDWR | O_CREAT | O_DIRECTORY)) != 0;
  const int descriptor = whole(counted, [&] { return real<int (*)(const char*, int, ...)>(name)(path, flags, mode); });
  if (descriptor >= 0 && static_cast<std::size_t>(descriptor) < ours.size()) {
    ours[static_cast<std::size_t>(descriptor)] = counted;
  }
  return descriptor;
}

struct AtEnd {
  ~AtEnd() { ::dprintf(9, "%ld\n", calls.load()); }
} at_end;

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = va_arg(rest, unsigned);
  va_end(rest);
  return open_as("open", path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = va_arg(rest, unsigned);
  va_end(rest);
  return open_as("open64", path, flags, mode);
}
int close(int descriptor) {
  if (descriptor >= 0 && static_cast<std::size_t>(descriptor) < ours.size()) {
    ours[static_cast<std::size_t>(descriptor)] = false;
  }
  return real<int (*)(int)>("close")(descriptor);
}
ssize_t write(int descriptor, const void* bytes, size_t count) {
  return part(descriptor, count, [&](std::size_t some) {
    return real<ssize_t (*)(int, const void*, size_t)>("write")(descriptor, bytes, some);
  });
}
ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
  return part(descriptor, count, [&](std::size_t some) {
    return real<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite")(descriptor, bytes, some, offset);
  });
}
int fsync(int descriptor) {
  return whole(is_ours(descriptor), [&] { return real<int (*)(int)>("fsync")(descriptor); });
}
int fdatasync(int descriptor) {
  return whole(is_ours(descriptor), [&] { return real<int (*)(int)>("fdatasync")(descriptor); });
}
int ftruncate(int descriptor, off_t length) noexcept {
  return whole(is_ours(descriptor), [&] { return real<int (*)(int, off_t)>("ftruncate")(descriptor, length); });
}
int rename(const char* from, const char* to) noexcept {
  return whole(in_folder(to), [&] { return real<int (*)(const char*, const char*)>("rename")(from, to); });
}
int link(const char* from, const char* to) noexcept {
  return whole(in_folder(to), [&] { return real<int (*)(const char*, const char*)>("link")(from, to); });
}
int unlink(const char* path) noexcept {
  return whole(in_folder(path), [&] { return real<int (*)(const char*)>("unlink")(path); });
}
int remove(const char* path) noexcept {
  return whole(in_folder(path), [&] { return real<int (*)(const char*)>("remove")(path); });
}
int mkdir(const char* path, mode_t mode) noexcept {
  return whole(in_folder(path), [&] { return real<int (*)(const char*, mode_t)>("mkdir")(path, mode); });
}

}  // extern "C"
