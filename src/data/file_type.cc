#include "data/file_type.h"

#include <fmt/format.h>

#include <system_error>

#include "base/error.h"

namespace lockstep {

namespace fs = std::filesystem;

fs::file_type type_of(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  const bool is_dangling = type == fs::file_type::not_found && fs::is_symlink(fs::symlink_status(path, error));
  if (is_dangling) {
    throw Error(ExitCode::missing_input,
                fmt::format("'{}' is a link to '{}', which is not there; is its disk mounted on this host? Else remove "
                            "the link",
                            path.string(), fs::read_symlink(path, error).string()));
  }
  if (type != fs::file_type::none) return type;
  throw Error(ExitCode::missing_input, fmt::format("cannot look for '{}': {}", path.string(), error.message()));
}

void check_data_dir(const std::string& data_dir) {
  const fs::file_type type = type_of(data_dir);
  if (type == fs::file_type::directory) return;
  throw Error(ExitCode::missing_input,
              fmt::format("--data_dir={}: {}", data_dir,
                          type == fs::file_type::not_found ? "there is no such folder; is the path right on this host?"
                                                           : "this is a file; give the folder that it lies in"));
}

}  // namespace lockstep
