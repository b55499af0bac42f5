#include "launch/readers/python_json.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "launch/readers/python_error.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse_text(const std::string& why) { throw PythonError("JSONDecodeError", why); }

// Python's message of a text without a value in it, the one that people meet: a variable that is set, and empty.
std::string no_value_at(std::string_view text) {
  std::size_t line = 1;
  std::size_t column = 1;
  for (const char c : text) {
    ++column;
    if (c != '\n') continue;
    ++line;
    column = 1;
  }
  return fmt::format("Expecting value: line {} column {} (char {})", line, column, text.size());
}

}  // namespace

PythonDocument python_json(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) refuse_text(no_value_at(text));
  if (text.size() > kMaxPythonJsonBytes) {
    refuse_text(fmt::format("it has {} bytes, and the most that is read is {}", text.size(), kMaxPythonJsonBytes));
  }
  PythonDocument document;
  std::vector<std::string> repeated;
  try {
    document.value = parse_json(text, JsonMode::tolerant, &repeated);
  } catch (const JsonError& error) {
    refuse_text(printable_message(error.what()));  // it may quote what is not UTF-8
  }
  for (const std::string& path : repeated) {
    document.warnings.push_back(fmt::format("'{}' stands in it twice; this reader takes the last value", path));
  }
  return document;
}

}  // namespace lockstep
