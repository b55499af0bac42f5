#include "collective/shm/memory_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace lockstep {
namespace {

constexpr const char* kName = "lockstep-shm";
constexpr std::size_t kCookieBytes = sizeof(std::int64_t);  // after the memory that was asked for
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = 2 << 20;
constexpr int kCollapse = 25;  // MADV_COLLAPSE, which older headers lack

off_t file_bytes(std::size_t bytes) { return static_cast<off_t>(bytes + kCookieBytes); }

// REQUIRES: a call has just failed.
MappedFile not_mapped() { return {nullptr, errno}; }

// Returns an address for a mapping of `bytes` bytes at which huge pages fit; nullptr = anywhere. The addresses stay
// reserved. The mapping that follows replaces the reservation from there on; the addresses around it are given back
// here.
std::byte* place_for_huge_pages(std::size_t bytes) {
  void* const reserved = mmap(nullptr, bytes + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reserved == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(reserved);
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(reserved) % kHugePage) % kHugePage;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t end = (before + bytes + page - 1) / page * page;
  if (before > 0) munmap(begin, before);
  if (end < bytes + kHugePage) munmap(begin + end, bytes + kHugePage - end);
  return begin + before;
}

// Large memory lies on huge pages if the system can put it there, as the heap's does (tensor/allocator.cc): loops over
// a whole store run up to 1.3 times as fast. This is a hint, by a call of Linux 6.1: shared memory never gets them
// unasked.
MappedFile map_file(const Descriptor& file, std::size_t bytes) {
  std::byte* const place = bytes >= 2 * kHugePage ? place_for_huge_pages(bytes) : nullptr;
  const int fixed = place != nullptr ? MAP_FIXED : 0;
  void* const memory = mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | fixed, file.number(), 0);
  if (memory == MAP_FAILED) {
    const int error = errno;
    if (place != nullptr) munmap(place, bytes);
    return {nullptr, error};
  }
  if (place != nullptr) madvise(memory, bytes / kHugePage * kHugePage, kCollapse);
  return {{static_cast<std::byte*>(memory), [bytes](std::byte* mapped) { munmap(mapped, bytes); }}, 0};
}

// Returns the system's error, 0 for none. Not ftruncate: without memory that would succeed, and the first store would
// end the process with SIGBUS.
int reserve(const Descriptor& file, off_t bytes) {
  rlimit limit{};
  // Beyond the limit of `ulimit -f` the call would end the process with SIGXFSZ.
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && static_cast<rlim_t>(bytes) > limit.rlim_cur) return EFBIG;
  int error = EINTR;  // a signal ends the call in its middle
  while (error == EINTR) error = posix_fallocate(file.number(), 0, bytes);
  return error;
}

std::string path_of(const FilePlace& place) { return fmt::format("/proc/{}/fd/{}", place.process, place.descriptor); }

// Returns 0 if the path leads to a memory file of Lockstep, else the system's error. Called before the file is opened,
// because the same process id and descriptor may belong to an unrelated process.
int check_memory_file(const std::string& path) {
  std::array<char, 64> target{};
  const ssize_t length = readlink(path.c_str(), target.data(), target.size());
  if (length < 0 && errno == EACCES) return EACCES;
  const std::string_view name(target.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return name.find(kName) == 7 ? 0 : ESRCH;  // after "/memfd:"
}

}  // namespace

std::shared_ptr<std::byte> heap_memory(std::size_t bytes) {
  void* const memory = ::operator new(bytes, std::align_val_t{kAlignment});
  std::memset(memory, 0, bytes);
  return {static_cast<std::byte*>(memory),
          [](std::byte* mine) { ::operator delete(mine, std::align_val_t{kAlignment}); }};
}

MemoryFile make_memory_file(std::size_t bytes) {
  MemoryFile made;
  made.file = Descriptor(memfd_create(kName, MFD_CLOEXEC));
  if (!made.file.is_open()) {
    made.mapped = not_mapped();
    return made;
  }
  made.place = {getpid(), made.file.number(), monotonic_ns()};
  made.mapped.error = reserve(made.file, file_bytes(bytes));
  if (made.mapped.error != 0) return made;
  const Transfer cookie = write_fully(made.file.number(), std::as_bytes(std::span(&made.place.cookie, 1)),
                                      static_cast<std::int64_t>(bytes));
  if (cookie.error != 0) {
    made.mapped.error = cookie.error;
  } else {
    made.mapped = map_file(made.file, bytes);
  }
  return made;
}

MappedFile open_memory_file(const FilePlace& place, std::size_t bytes) {
  const std::string path = path_of(place);
  if (const int error = check_memory_file(path); error != 0) return {nullptr, error};
  const Descriptor file = open_descriptor(path, O_RDWR);
  if (!file.is_open()) return not_mapped();
  std::int64_t cookie = 0;
  const Transfer read =
      read_fully(file.number(), std::as_writable_bytes(std::span(&cookie, 1)), static_cast<std::int64_t>(bytes));
  if (read.bytes != kCookieBytes || cookie != place.cookie) return {nullptr, ESRCH};
  return map_file(file, bytes);
}

}  // namespace lockstep
