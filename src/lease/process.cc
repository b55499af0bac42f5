#include "lease/process.h"

#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>

#include "base/host_name.h"

namespace lockstep {
namespace {

// State of a process in /proc/PID/stat, see proc(5).
struct ProcessState {
  char state = '?';
  std::int64_t threads = 0;
  std::int64_t start = 0;
};

std::optional<ProcessState> process_state(const std::string& pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (!std::getline(file, line)) return {};
  // The second field is the program's name in parentheses, which may hold spaces and parentheses itself.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(line.substr(name_end + 1));
  ProcessState result;
  fields >> result.state;
  std::int64_t value = 0;
  for (int field = 4; field <= 22 && fields >> value; ++field) {
    if (field == 20) result.threads = value;
    if (field == 22) result.start = value;
  }
  if (!fields) return {};
  return result;
}

std::string link_target(const char* path) {
  std::error_code failure;
  return std::filesystem::read_symlink(path, failure).string();
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string new_token() {
  std::random_device random;  // the system's: two processes that start at the same moment must differ
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace

LeaseRecord this_process(const std::string& job_id) {
  LeaseRecord record;
  record.token = new_token();
  record.job_id = job_id;
  record.host = host_name();
  record.pid = ::getpid();
  // In a pid namespace of its own, a process may still see another namespace's /proc, where its pid is a different
  // process. Then its place is not recorded, and other trainers go by the heartbeat alone.
  if (link_target("/proc/self") != fmt::to_string(record.pid)) return record;
  record.boot_id = first_line("/proc/sys/kernel/random/boot_id");
  record.pid_namespace = link_target("/proc/self/ns/pid");
  if (const auto state = process_state("self")) record.process_start = state->start;
  return record;
}

bool process_is_gone(const LeaseRecord& record) {
  if (record.pid <= 0 || record.process_start == 0) return false;
  // /proc may hide another user's process (hidepid), but kill() shows that it exists.
  if (::kill(static_cast<pid_t>(record.pid), 0) != 0 && errno == ESRCH) return true;
  const auto state = process_state(fmt::to_string(record.pid));
  if (!state) return false;
  if (state->start != record.process_start) return true;
  // A killed process shows as a zombie while a thread of it is still in a system call, perhaps one that writes.
  return (state->state == 'Z' || state->state == 'X') && state->threads <= 1;
}

}  // namespace lockstep
