#include "collective/nccl_log.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/environment.h"
#include "base/error.h"
#include "base/input_file.h"

namespace lockstep {
namespace {

constexpr const char* kLevel = "NCCL_DEBUG";
constexpr const char* kSubsystems = "NCCL_DEBUG_SUBSYS";
constexpr const char* kFile = "NCCL_DEBUG_FILE";

bool names_the_log(const std::string& path) {
  constexpr std::int64_t kMostBytes = 1 << 20;
  try {
    auto file = InputFile::if_there(path, {.max_bytes = kMostBytes});
    return file && file->read_all().find(kLevel) != std::string::npos;
  } catch (const Error&) {  // NCCL cannot read it either, or it is none
    return false;
  }
}

bool is_the_users(const std::vector<std::string>& files) {
  const auto variables = variables_with_prefix(kLevel);
  return std::ranges::any_of(variables, [](const std::string& variable) { return !variable.ends_with('='); }) ||
         std::ranges::any_of(files, names_the_log);
}

// Not HOME's value: NCCL asks the system for it.
std::string home_folder() {
  const passwd* const user = ::getpwuid(::getuid());  // NOLINT(concurrency-mt-unsafe): while the run is set up
  return user == nullptr || user->pw_dir == nullptr ? "" : user->pw_dir;
}

}  // namespace

std::vector<std::string> nccl_configuration_files() {
  const std::string own = process_environment()("NCCL_CONF_FILE").value_or("");
  return {own.empty() ? home_folder() + "/.nccl.conf" : own, "/etc/nccl.conf"};
}

NcclLog::NcclLog(const std::vector<std::string>& files) : file_("nccl log") {
  if (file_.path().empty() || is_the_users(files)) return;
  kept_ = true;
  setenv(kLevel, "INFO", 1);
  setenv(kSubsystems, "INIT,TUNING", 1);
  setenv(kFile, file_.path().c_str(), 1);
}

// Made empty, not taken away, which would move the others while threads of NCCL's read them.
NcclLog::~NcclLog() {
  if (!kept_) return;
  file_.seal();
  for (const char* const variable : {kLevel, kSubsystems, kFile}) setenv(variable, "", 1);
}

std::string NcclLog::text() const { return kept_ ? file_.text() : ""; }

}  // namespace lockstep
