#include "launch/report/run_names.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/printable.h"

namespace lockstep {
namespace {

// The last name of a path; "" if it has none, as the root.
std::string last_name(const std::string& folder) {
  std::error_code failure;
  std::filesystem::path path = std::filesystem::absolute(folder, failure).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // it ended with a slash
  return path.filename().string();
}

}  // namespace

std::vector<std::string> run_names(std::span<const std::string> folders) {
  std::vector<std::string> last;
  std::ranges::transform(folders, std::back_inserter(last), last_name);
  std::vector<std::string> names;
  for (std::size_t at = 0; at < folders.size(); ++at) {
    const bool is_one_of_its_kind = !last[at].empty() && std::ranges::count(last, last[at]) == 1;
    names.push_back(escaped(is_one_of_its_kind ? last[at] : folders[at]));
  }
  return names;
}

}  // namespace lockstep
