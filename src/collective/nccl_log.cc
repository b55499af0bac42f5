#include "collective/nccl_log.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

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

// Which files NCCL reads: https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html
bool is_the_users() {
  const auto variables = variables_with_prefix(kLevel);
  if (std::ranges::any_of(variables, [](const std::string& variable) { return !variable.ends_with('='); })) return true;
  const Environment environment = process_environment();
  const auto own = environment("NCCL_CONF_FILE");
  return names_the_log("/etc/nccl.conf") ||
         names_the_log(own ? *own : environment("HOME").value_or("") + "/.nccl.conf");
}

}  // namespace

NcclLog::NcclLog() : file_("nccl log") {
  if (file_.path().empty() || is_the_users()) return;
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
