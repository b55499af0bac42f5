#include "launch/job/process_tree.h"

#include <unistd.h>

#include <string>
#include <string_view>

#include "base/system_file.h"
#include "base/whole_number.h"

namespace lockstep {
namespace {

// Returns the fields of proc(5)'s stat after the name, which may hold anything: "S 4 ..." of "17 (a name) S 4 ...".
// Empty if there is no such process.
std::string fields_after_name(const std::filesystem::path& process) {
  const std::string status = read_system_file(process / "stat");
  const std::size_t name_end = status.rfind(") ");
  return name_end == std::string::npos ? std::string() : status.substr(name_end + 2);
}

}  // namespace

pid_t parent_of(const std::filesystem::path& process) {
  const std::string fields = fields_after_name(process);
  if (fields.size() < 2) return 0;
  std::string_view rest = std::string_view(fields).substr(2);  // behind the state
  return take_digits<pid_t>(rest).value_or(0);
}

bool is_running(const std::filesystem::path& process) {
  const std::string fields = fields_after_name(process);
  return !fields.empty() && fields.front() != 'Z' && fields.front() != 'X';
}

std::vector<pid_t> ancestors() {
  constexpr std::size_t kMost = 100;  // a reused pid could make a cycle
  std::vector<pid_t> found;
  for (pid_t process = ::getppid(); process > 1 && found.size() < kMost;
       process = parent_of(std::filesystem::path("/proc") / std::to_string(process))) {
    found.push_back(process);
  }
  return found;
}

}  // namespace lockstep
