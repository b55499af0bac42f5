#include "collective/shm/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace lockstep {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == 4 && std::atomic<std::uint32_t>::is_always_lock_free,
              "the kernel looks at the word itself");

// Not FUTEX_PRIVATE_FLAG: the other side may be another process.
void futex(const std::atomic<std::uint32_t>& word, int what, std::uint32_t value, const timespec* time) {
  syscall(SYS_futex, &word, what, value, time, nullptr, 0);
}

}  // namespace

void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::milliseconds at_most) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(at_most);
  const timespec time{seconds.count(), std::chrono::nanoseconds(at_most - seconds).count()};
  futex(word, FUTEX_WAIT, value, &time);
}

void wake_all(const std::atomic<std::uint32_t>& word) noexcept { futex(word, FUTEX_WAKE, INT_MAX, nullptr); }

}  // namespace lockstep
