#include "base/signal_name.h"

#include <fmt/format.h>

#include <csignal>

namespace lockstep {

std::string signal_name(int signal) {
  switch (signal) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGUSR2:
      return "SIGUSR2";
    case SIGCONT:
      return "SIGCONT";
    default:
      return fmt::format("signal {}", signal);
  }
}

}  // namespace lockstep
