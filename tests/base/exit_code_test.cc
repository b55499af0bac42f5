#include "base/exit_code.h"

#include <doctest/doctest.h>

#include <set>
#include <string_view>

namespace lockstep {

TEST_CASE("every exit code has one meaning, in ascending order") {
  int before = -1;
  std::set<std::string_view> texts;
  for (const ExitCodeMeaning& meaning : exit_code_meanings()) {
    CHECK(static_cast<int>(meaning.code) > before);
    before = static_cast<int>(meaning.code);
    CHECK(texts.insert(meaning.when).second);
    switch (meaning.code) {  // a new code without a row here does not compile (-Wswitch)
      case ExitCode::done:
      case ExitCode::usage:
      case ExitCode::bad_data:
      case ExitCode::missing_input:
      case ExitCode::internal:
      case ExitCode::cannot_write:
      case ExitCode::stopped:
      case ExitCode::configuration:
        break;
    }
  }
  CHECK(exit_code_meanings().size() == 8);
}

TEST_CASE("a signal that ended a job shows as in a shell") { CHECK(static_cast<int>(ended_by_signal(15)) == 143); }

}  // namespace lockstep
