// main() of every test binary. With --mpi it is one rank of the world that mpirun started.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string_view>

#include "collective/mpi/mpi_session.h"
#include "support/ranks.h"

namespace {

// Bugs often show as hangs. ctest's own time-out comes first; this one is for a binary run by hand.
constexpr unsigned kTimeoutSeconds = 1800;

extern "C" void on_timeout(int /*signal*/) {
  constexpr std::string_view text = "test: no end after 1800 s, given up\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
  _exit(70);
}

bool wants_mpi(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--mpi") return true;
  }
  return false;
}

enum class Summary { show, hide };  // failures are always printed

int run_tests(int argc, char** argv, Summary summary) {
  doctest::Context context(argc, argv);
  context.setOption("no-intro", true);
  if (summary == Summary::hide) context.setOption("minimal", true);
  if (wants_mpi(argc, argv)) context.setOption("no-colors", true);  // ranks write concurrently, so no colour changes
  return context.run();
}

}  // namespace

int main(int argc, char** argv) {
  signal(SIGALRM, on_timeout);
  alarm(kTimeoutSeconds);
  if (!wants_mpi(argc, argv)) return run_tests(argc, argv, Summary::show);
  try {
    lockstep::MpiSession session({.windows = lockstep::Windows::any_hosts});
    session.form(0, session.process());
    lockstep::use_mpi_session(&session);
    const int result = run_tests(argc, argv, session.rank() == 0 ? Summary::show : Summary::hide);
    session.finalize();
    return result;
  } catch (const std::exception& error) {
    std::cerr << "test: " << error.what() << std::endl;
    return EXIT_FAILURE;
  }
}
