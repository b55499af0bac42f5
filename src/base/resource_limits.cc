#include "base/resource_limits.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>

namespace lockstep {
namespace {

std::string count_text(rlim_t limit) { return limit == RLIM_INFINITY ? "unlimited" : fmt::format("{}", limit); }

std::string bytes_text(rlim_t limit) {
  return limit == RLIM_INFINITY ? "unlimited" : fmt::format("{:.1f} MB", static_cast<double>(limit) / 1e6);
}

// The limit; zeros if the system does not say.
rlimit limit_of(decltype(RLIMIT_NOFILE) resource) {
  rlimit limit{};
  static_cast<void>(::getrlimit(resource, &limit));
  return limit;
}

}  // namespace

std::string file_limit_advice(int error) {
  if (error == ENFILE) {
    return ": all programs of this host together have as many open as its kernel allows (fs.file-max); end some, or "
           "ask its administrator";
  }
  if (error != EMFILE) return "";
  const rlimit files = limit_of(RLIMIT_NOFILE);
  const std::string cure = files.rlim_cur < files.rlim_max
                               ? fmt::format("raise the limit before the job starts: ulimit -n {}",
                                             files.rlim_max == RLIM_INFINITY ? "65536" : count_text(files.rlim_max))
                               : "that is the hard limit: ask the administrator for a higher one (limits.conf, or "
                                 "LimitNOFILE of the service that starts jobs)";
  return fmt::format(": this process may have {} open (ulimit -n); {}", count_text(files.rlim_cur), cure);
}

ExitCode code_of_failure(int error, ExitCode usual) {
  return error == EMFILE || error == ENFILE ? ExitCode::internal : usual;
}

std::string memory_limit_text() {
  const rlim_t limit = limit_of(RLIMIT_AS).rlim_cur;
  if (limit == RLIM_INFINITY || limit == 0) return " on the host";
  return fmt::format(" of the {} that this process may have (ulimit -v)", bytes_text(limit));
}

std::string thread_limit_message() {
  return fmt::format(
      "the system refused to start a thread: this user may have {} processes and threads (ulimit -u), this process {} "
      "of address space (ulimit -v) with a stack of {} for each thread (ulimit -s), and a container may have a limit "
      "of its own (pids.max of its cgroup); raise the one that is reached, end other programs of this user, or start "
      "fewer ranks on this host",
      count_text(limit_of(RLIMIT_NPROC).rlim_cur), bytes_text(limit_of(RLIMIT_AS).rlim_cur),
      bytes_text(limit_of(RLIMIT_STACK).rlim_cur));
}

}  // namespace lockstep
