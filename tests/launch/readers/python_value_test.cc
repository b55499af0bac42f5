#include "launch/readers/python_value.h"

#include <doctest/doctest.h>

#include <string>

#include "launch/readers/python_error.h"

namespace lockstep {
namespace {

Json json(std::string_view text) { return parse_json(text, JsonMode::tolerant); }

std::string int_of(std::string_view text) { return python_int(json(text)).text(); }

// "TYPE: message".
std::string raised_by_int(std::string_view text) {
  try {
    python_int(json(text));
  } catch (const PythonError& error) {
    return error.type() + ": " + error.message();
  }
  return "";
}

}  // namespace

TEST_CASE("Python's values: type, repr, str and truth") {
  CHECK(python_type(json("null")) == "NoneType");
  CHECK(python_type(json("true")) == "bool");
  CHECK(python_type(json("1")) == "int");
  CHECK(python_type(json("123456789012345678901234567890")) == "int");
  CHECK(python_type(json("1.0")) == "float");
  CHECK(python_repr(json(R"({"a": [1, null, true, 2.0, 1e16, "x"], "b": {}})")) ==
        "{'a': [1, None, True, 2.0, 1e+16, 'x'], 'b': {}}");
  CHECK(python_str(json(R"("it's")")) == "it's");
  CHECK(python_str(json("false")) == "False");
  for (const char* text : {"null", "false", "0", "0.0", "\"\"", "[]", "{}"}) CHECK_FALSE(python_truth(json(text)));
  for (const char* text : {"true", "-1", "0.5", "\"0\"", "[0]", "{\"a\": 0}", "99999999999999999999"}) {
    CHECK(python_truth(json(text)));
  }
}

TEST_CASE("Python's values: texts in quotes") {
  CHECK(python_quoted("a") == "'a'");
  CHECK(python_quoted("it's") == "\"it's\"");
  CHECK(python_quoted("it's \"so\"") == "'it\\'s \"so\"'");
  CHECK(python_quoted("a\\b\n\r\t\x1b\x7f") == "'a\\\\b\\n\\r\\t\\x1b\\x7f'");
  CHECK(python_quoted("\xc3\xa9\xf0\x9f\x98\x80") == "'\xc3\xa9\xf0\x9f\x98\x80'");
  CHECK(python_quoted("\xc2\xa0\xe2\x80\xa8") == "'\\xa0\\u2028'");
}

TEST_CASE("Python's int(): texts, fractions cut off, truth as a number, any size") {
  CHECK(int_of("7") == "7");
  CHECK(int_of("\" 1_0 \"") == "10");
  CHECK(int_of("\"-3\"") == "-3");
  CHECK(int_of("1.9") == "1");
  CHECK(int_of("-1.9") == "-1");
  CHECK(int_of("true") == "1");
  CHECK(int_of("1e20") == "100000000000000000000");
  CHECK(int_of("-99999999999999999999") == "-99999999999999999999");
  CHECK(int_of("\" -099_999999999999999999\"") == "-99999999999999999999");
  CHECK(raised_by_int("\"1.5\"") == "ValueError: invalid literal for int() with base 10: '1.5'");
  CHECK(raised_by_int("\"\"") == "ValueError: invalid literal for int() with base 10: ''");
  CHECK(raised_by_int("null") ==
        "TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'");
  CHECK(raised_by_int("[]").ends_with("not 'list'"));
  CHECK(raised_by_int("{}").ends_with("not 'dict'"));
}

TEST_CASE("Python's integers beyond 64 bits: compared and summed") {
  const Json big = python_int(json("100000000000000000000"));
  const Json deep = python_int(json("-100000000000000000000"));
  CHECK(python_compare(big, 3) > 0);
  CHECK(python_compare(deep, 3) < 0);
  CHECK(python_compare(Json(3), 3) == 0);
  CHECK(python_sum(deep, 1).text() == "-99999999999999999999");
  CHECK(python_sum(deep, 0).text() == deep.text());
  CHECK(python_sum(json("-99999999999999999999"), 1).text() == "-99999999999999999998");
  CHECK(python_sum(Json(-1), 1).text() == "0");
}

TEST_CASE("Python's get, in and []") {
  const auto raised = [](const auto& act) -> std::string {
    try {
      act();
    } catch (const PythonError& error) {
      return error.type() + ": " + error.message();
    }
    return "";
  };
  CHECK(python_get(json(R"({"a": null})"), "a") != nullptr);
  CHECK(python_get(json("{}"), "a", 3) == Json(3));
  CHECK(raised([] { python_get(json("null"), "a"); }) == "AttributeError: 'NoneType' object has no attribute 'get'");
  CHECK(python_contains(json(R"(["a"])"), "a"));
  CHECK(python_contains(json(R"("bad")"), "a"));
  CHECK_FALSE(python_contains(json("[]"), "a"));
  CHECK(raised([] { python_contains(json("1"), "a"); }) == "TypeError: argument of type 'int' is not iterable");
  CHECK(raised([] { python_item(json(R"(["a"])"), "a"); }) ==
        "TypeError: list indices must be integers or slices, not str");
  CHECK(raised([] { python_item(json(R"("a")"), "a"); }) == "TypeError: string indices must be integers, not 'str'");
}

}  // namespace lockstep
