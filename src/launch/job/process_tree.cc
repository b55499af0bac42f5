#include "launch/job/process_tree.h"

#include <unistd.h>

#include <string>
#include <string_view>

#include "base/system_file.h"
#include "base/whole_number.h"

namespace lockstep {

// The fourth field of proc(5)'s stat: 4 in "17 (a name) S 4 ...", where the name may hold anything.
pid_t parent_of(const std::filesystem::path& process) {
  const std::string status = read_system_file(process / "stat");
  const std::size_t name_end = status.rfind(')');
  constexpr std::size_t kToParent = 4;  // ") S "
  if (name_end == std::string::npos || status.size() < name_end + kToParent) return 0;
  std::string_view rest = std::string_view(status).substr(name_end + kToParent);
  return take_digits<pid_t>(rest).value_or(0);
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
