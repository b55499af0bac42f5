#include "launch/readers/python_json.h"

#include <doctest/doctest.h>

#include <string>

#include "launch/readers/python_error.h"

namespace lockstep {
namespace {

std::string refusal(std::string_view text) {
  try {
    python_json(text);
  } catch (const PythonError& error) {
    CHECK(error.type() == "JSONDecodeError");
    return error.message();
  }
  return "";
}

}  // namespace

TEST_CASE("Python's view of JSON: of equal names the last value counts, with a warning") {
  const PythonDocument document = python_json(R"({"task": {"index": 1, "type": "ps", "index": 2}})");
  CHECK(document.value.text() == R"({"task":{"index":2,"type":"ps"}})");
  REQUIRE(document.warnings.size() == 1);
  CHECK(document.warnings.front().starts_with("'task.index' stands in it twice"));
  CHECK(python_json("{}").warnings.empty());
}

TEST_CASE("Python's view of JSON: integers of any size are kept, without a warning") {
  const PythonDocument document = python_json("[99999999999999999999]");
  CHECK(document.value.text() == "[99999999999999999999]");
  CHECK(document.warnings.empty());
}

TEST_CASE("Python's view of JSON: what is refused") {
  CHECK(refusal("") == "Expecting value: line 1 column 1 (char 0)");
  CHECK(refusal(" \n ") == "Expecting value: line 2 column 2 (char 3)");
  CHECK(refusal("{cluster").starts_with("it is not JSON at character "));
  CHECK(refusal("{} {}").starts_with("it is not JSON at character "));
  CHECK(refusal("\"\xff\"").starts_with("it is not JSON at character "));
  CHECK(refusal("\"\\ud800\"").starts_with("it is not JSON at character "));
  CHECK(refusal(std::string(100000, '[')).find("levels") != std::string::npos);
  CHECK(refusal(std::string(kMaxPythonJsonBytes + 1, '1')).find("bytes, and the most that is read") !=
        std::string::npos);
}

}  // namespace lockstep
