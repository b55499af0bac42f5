#include "launch/job/stderr_terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/log.h"
#include "launch/job/mpirun_process.h"

namespace lockstep {
namespace {

// The options of mpirun that change what it passes on, as it tells them to the ranks: --tag-output, --timestamp-output,
// --xml, --output-filename.
constexpr std::array kChangingOptions = {"OMPI_MCA_orte_tag_output", "OMPI_MCA_orte_timestamp_output",
                                         "OMPI_MCA_orte_xml_output", "OMPI_MCA_orte_output_filename"};

// Opens a character device only: opening another process's pipe would make us its reader.
Descriptor open_terminal(const std::string& path) {
  struct stat what {};
  if (::stat(path.c_str(), &what) != 0 || !S_ISCHR(what.st_mode)) return {};
  Descriptor opened = open_descriptor(path, O_RDONLY | O_NOCTTY | O_NONBLOCK);
  if (!opened.is_open() || ::isatty(opened.number()) == 0) return {};
  return opened;
}

Descriptor own_terminal(int error_output) {
  if (::isatty(error_output) == 0) return {};
  return Descriptor(::fcntl(error_output, F_DUPFD_CLOEXEC, 0));
}

// mpirun passes on to its standard error only what a rank writes to a pipe: not a file, nor the terminal that mpirun
// makes with --merge-stderr-to-stdout.
Descriptor terminal_of_mpirun(int error_output, const Environment& environment, const std::string& parent) {
  const auto is_set = [&](const char* name) { return environment(name).has_value(); };
  if (std::ranges::any_of(kChangingOptions, is_set)) return {};
  struct stat what {};
  if (::fstat(error_output, &what) != 0 || !S_ISFIFO(what.st_mode)) return {};
  if (!is_mpirun(parent)) return {};
  return open_terminal(parent + "/fd/2");
}

}  // namespace

std::unique_ptr<Terminal> stderr_terminal(int error_output, Launcher launcher, const Environment& environment,
                                          const std::string& parent) {
  const std::string type = environment("TERM").value_or("");
  if (type.empty() || type == "dumb") return nullptr;
  Descriptor terminal =
      launcher == Launcher::mpirun ? terminal_of_mpirun(error_output, environment, parent) : own_terminal(error_output);
  if (!terminal.is_open()) return nullptr;
  const bool colours = environment("NO_COLOR").value_or("").empty();
  return std::make_unique<Terminal>(std::move(terminal), colours);
}

std::unique_ptr<Terminal> stderr_terminal(Launcher launcher) {
  return stderr_terminal(STDERR_FILENO, launcher, process_environment(), fmt::format("/proc/{}", ::getppid()));
}

std::string error_line(const Terminal* terminal, const std::string& message) {
  const bool colours = terminal != nullptr && terminal->colours();
  return colours ? coloured(LogLevel::error, message + "\n") : message + "\n";
}

}  // namespace lockstep
