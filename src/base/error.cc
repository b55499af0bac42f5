#include "base/error.h"

#include <fmt/format.h>

#include <string_view>

#include "base/printable.h"

namespace lockstep {
namespace {

// The path from src/ or tests/ on, which is the same on every machine that builds us.
std::string_view source_path(std::string_view file) {
  for (std::string_view root : {"/src/", "/tests/"}) {
    if (auto at = file.rfind(root); at != std::string_view::npos) return file.substr(at + 1);
  }
  return file;
}

}  // namespace

Error::Error(ExitCode code, const std::string& message, Scope scope)
    : std::runtime_error(printable_message(message)), code_(code), scope_(scope) {}

std::string describe(Where where, const std::string& why) {
  return fmt::format("{}:{} {}: {}", source_path(where.file), where.line, where.call, why);
}

void fail(Where where, const std::string& why) { throw Error(ExitCode::internal, describe(where, why)); }

}  // namespace lockstep
