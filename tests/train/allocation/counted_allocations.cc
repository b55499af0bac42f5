#include "counted_allocations.h"

#include <dlfcn.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string_view>

// glibc's own names of the functions replaced below.
extern "C" {
void* __libc_malloc(std::size_t bytes);                           // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t count, std::size_t bytes);        // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* memory, std::size_t bytes);            // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t alignment, std::size_t bytes);  // NOLINT(bugprone-reserved-identifier)
}

namespace lockstep {
namespace {

// Trivial and initialised statically, so usable from the first malloc of a thread on.
thread_local bool counting = false;
thread_local AllocationCounts counts;

bool is_mpi(std::string_view library) {
  for (const std::string_view part : {"libmpi", "libopen-", "libpmix", "mca_", "libevent", "libhwloc"}) {
    if (library.find(part) != std::string_view::npos) return true;
  }
  return false;
}

void count(const void* caller) {
  if (!counting) return;
  counting = false;  // dladdr may allocate
  Dl_info place{};
  const bool known = ::dladdr(caller, &place) != 0 && place.dli_fname != nullptr;
  const std::string_view library = known ? place.dli_fname : "";
  if (library.find("libdnnl") != std::string_view::npos) {
    ++counts.onednn;
  } else if (is_mpi(library)) {
    ++counts.mpi;
  } else {
    ++counts.ours;
  }
  counting = true;
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void start_counting() {
  counts = {};
  counting = true;
}

AllocationCounts stop_counting() {
  counting = false;
  return counts;
}

}  // namespace lockstep

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" {

void* malloc(std::size_t bytes) {
  lockstep::count(__builtin_return_address(0));
  return __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
  lockstep::count(__builtin_return_address(0));
  return __libc_calloc(count, bytes);
}

void* realloc(void* memory, std::size_t bytes) {
  lockstep::count(__builtin_return_address(0));
  return __libc_realloc(memory, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  lockstep::count(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  lockstep::count(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  lockstep::count(__builtin_return_address(0));
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)

void* operator new(std::size_t bytes) {
  lockstep::count(__builtin_return_address(0));
  return lockstep::or_throw(__libc_malloc(bytes));
}

void* operator new[](std::size_t bytes) {
  lockstep::count(__builtin_return_address(0));
  return lockstep::or_throw(__libc_malloc(bytes));
}

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  lockstep::count(__builtin_return_address(0));
  return lockstep::or_throw(__libc_memalign(static_cast<std::size_t>(alignment), bytes));
}

void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  lockstep::count(__builtin_return_address(0));
  return lockstep::or_throw(__libc_memalign(static_cast<std::size_t>(alignment), bytes));
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
