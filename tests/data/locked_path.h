#pragma once

#include <doctest/doctest.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <string>
#include <utility>

namespace lockstep {

// While an object lives, this thread cannot read the file or folder at `path`, even if root runs the test.
class LockedPath {
 public:
  explicit LockedPath(std::string path) : path_(std::move(path)) {
    REQUIRE(chmod(path_.c_str(), 0) == 0);
    REQUIRE(syscall(SYS_capget, &header_, before_.data()) == 0);
    auto reduced = before_;
    reduced[0].effective &= ~(1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH);
    REQUIRE(syscall(SYS_capset, &header_, reduced.data()) == 0);
  }
  ~LockedPath() {
    syscall(SYS_capset, &header_, before_.data());
    chmod(path_.c_str(), 0700);
  }
  LockedPath(const LockedPath&) = delete;
  LockedPath& operator=(const LockedPath&) = delete;

 private:
  std::string path_;
  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> before_{};
};

}  // namespace lockstep
