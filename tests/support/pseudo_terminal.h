#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/descriptor.h"

namespace lockstep {

// A pseudo terminal of 24 rows.
class PseudoTerminal {
 public:
  explicit PseudoTerminal(int columns) : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    REQUIRE(master_.is_open());
    REQUIRE(::grantpt(master_.number()) == 0);
    REQUIRE(::unlockpt(master_.number()) == 0);
    resize(columns);
  }

  void resize(int columns) {
    const winsize size{.ws_row = 24, .ws_col = static_cast<unsigned short>(columns), .ws_xpixel = 0, .ws_ypixel = 0};
    REQUIRE(::ioctl(master_.number(), TIOCSWINSZ, &size) == 0);
  }
  std::string path() const { return ::ptsname(master_.number()); }
  Descriptor open() const { return open_descriptor(path(), O_RDWR | O_NOCTTY); }

 private:
  Descriptor master_;
};

}  // namespace lockstep
