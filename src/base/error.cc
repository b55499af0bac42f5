#include "base/error.h"

#include <fmt/format.h>

#include <string_view>

namespace lockstep {
namespace {

// The path from src/ or tests/ on: the same text on every machine that builds us.
std::string_view source_path(std::string_view file) {
  for (std::string_view root : {"/src/", "/tests/"}) {
    if (auto at = file.rfind(root); at != std::string_view::npos) return file.substr(at + 1);
  }
  return file;
}

constexpr ExitCodeMeaning kMeanings[] = {
    {ExitCode::done, "done"},
    {ExitCode::usage, "wrong usage: unknown, repeated or malformed flag or hparam, nothing of that name"},
    {ExitCode::bad_data, "bad input data: truncated, corrupt, mismatched, a label outside the classes"},
    {ExitCode::missing_input, "an input file is missing"},
    {ExitCode::internal, "internal error, NaN or infinity, out of memory, a hang, replicas that drifted"},
    {ExitCode::cannot_write, "cannot write: disk full, no permission"},
    {ExitCode::stopped, "stopped on request after saving: run the same command again to continue"},
    {ExitCode::configuration, "a combination or a launch that cannot work"},
};

}  // namespace

std::span<const ExitCodeMeaning> exit_code_meanings() { return kMeanings; }

void fail(Where where, const std::string& why) {
  throw Error(ExitCode::internal, fmt::format("{}:{} {}: {}", source_path(where.file), where.line, where.call, why));
}

}  // namespace lockstep
