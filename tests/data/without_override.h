#pragma once

#include <doctest/doctest.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace lockstep {

// While it lives, permissions hold for this thread even if root runs the test.
class WithoutOverride {
 public:
  WithoutOverride() {
    REQUIRE(syscall(SYS_capget, &header_, before_.data()) == 0);
    auto reduced = before_;
    reduced[0].effective &= ~(1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH);
    REQUIRE(syscall(SYS_capset, &header_, reduced.data()) == 0);
  }
  ~WithoutOverride() { syscall(SYS_capset, &header_, before_.data()); }
  WithoutOverride(const WithoutOverride&) = delete;
  WithoutOverride& operator=(const WithoutOverride&) = delete;

 private:
  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> before_{};
};

}  // namespace lockstep
