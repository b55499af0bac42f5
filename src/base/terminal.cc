#include "base/terminal.h"

#include <sys/ioctl.h>

namespace lockstep {

int Terminal::columns() const {
  constexpr int kUsual = 80;
  winsize size{};
  if (::ioctl(terminal_.number(), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

}  // namespace lockstep
