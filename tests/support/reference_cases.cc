#include "support/reference_cases.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace lockstep {

std::optional<Json> reference_cases(const std::string& file_name) {
  const std::filesystem::path file = std::filesystem::path(LOCKSTEP_SHARED_DIR) / "cases" / file_name;
  if (!std::filesystem::exists(file)) {
    MESSAGE("REFERENCE CASES ABSENT: no ", file.string(), "; only our own cases were tested");
    return {};
  }
  std::ifstream stream(file, std::ios::binary);
  return parse_json(std::string(std::istreambuf_iterator<char>(stream), {}));
}

}  // namespace lockstep
