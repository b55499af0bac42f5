#include "base/json.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using lockstep::BigInteger;
using lockstep::Json;
using lockstep::JsonError;
using lockstep::JsonMode;
using lockstep::parse_json;

namespace {

std::string round_trip(const std::string& text) { return parse_json(text).text(); }

std::string refusal(const std::string& text) {
  try {
    parse_json(text);
  } catch (const JsonError& error) {
    return error.what();
  }
  return "";
}

std::string nested(int levels, const std::string& inside) {
  std::string text = inside;
  for (int level = 0; level < levels; ++level) text = level % 2 == 0 ? "[" + text + "]" : R"({"a":)" + text + "}";
  return text;
}

}  // namespace

TEST_CASE("json: values, order and types stay as they came") {
  for (const char* text :
       {"null", "true", "-3", "2.5", R"("x")", "[]", "{}", R"([1,[2.0,null],{"b":[],"a":{}}])",
        R"({"z":1,"a":"\"\\/\n","m":[true,false],"é":"Σ"})", "9223372036854775807", "-9223372036854775808"}) {
    CAPTURE(text);
    CHECK(parse_json(round_trip(text)) == parse_json(text));
  }
  CHECK(round_trip(" { \"b\" : [ 1 , 2.0 ] ,\n\"a\" : { } } ") == R"({"b":[1,2.0],"a":{}})");
  CHECK(round_trip(R"("\u00e9\ud83d\ude00\u0000")") == "\"é😀\\u0000\"");
}

TEST_CASE("json: integers and numbers are distinct") {
  CHECK(*parse_json("2").as<std::int64_t>() == 2);
  CHECK(parse_json("2").as<double>() == nullptr);
  CHECK(*parse_json("2.0").as<double>() == 2.0);
  CHECK(*parse_json("2e0").as<double>() == 2.0);
  CHECK(Json(2).text() == "2");
  CHECK(Json(2.0).text() == "2.0");
  CHECK(Json(-0.0).text() == "-0.0");
  CHECK(Json(1e300).text() == "1e+300");
}

TEST_CASE("json: a form for people and their scripts") {
  const Json value = Json::Object{{"kind", "eval"},
                                  {"step", 7},
                                  {"loss", 0.1},
                                  {"whole", 2.0},
                                  {"large", 1e300},
                                  {"none", Json()},
                                  {"nan", std::nan("")},
                                  {"inf", -std::numeric_limits<double>::infinity()},
                                  {"list", Json::Array{1, "\n", Json::Array{}, Json::Object{}}}};
  const std::string text = value.text(Json::Form::readable);
  CHECK(
      text ==
      R"({"kind": "eval", "step": 7, "loss": 0.1, "whole": 2, "large": 1e+300, "none": null, "nan": null, "inf": null, )"
      R"("list": [1, "\n", [], {}]})");
  CHECK(parse_json(text).text(Json::Form::readable) == text);
  CHECK_THROWS_AS(Json("\xff").text(Json::Form::readable), std::invalid_argument);
}

TEST_CASE("json: numbers read back as the same float64") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const auto value = std::bit_cast<double>(std::uint64_t{random()});
    if (!std::isfinite(value)) continue;
    const Json read = parse_json(Json(value).text());
    REQUIRE(read.as<double>() != nullptr);
    CHECK(*read.as<double>() == value);
  }
  using Limits = std::numeric_limits<double>;
  for (const double value : {Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min(), 0.1, 1e16, 1e22}) {
    CHECK(*parse_json(Json(value).text()).as<double>() == value);
  }
}

TEST_CASE("json: what it cannot write becomes a text, and what is no UTF-8 is refused") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  CHECK(Json(Json::Array{std::nan(""), kInfinity, -kInfinity}).text() == R"(["nan","inf","-inf"])");
  CHECK_THROWS_AS(static_cast<void>(Json("\xff").text()), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(Json(Json::Object{{"\xc3", 1}}).text()), std::invalid_argument);
}

TEST_CASE("json: written by hand") {
  const Json json = Json::Object{{"step", 3}, {"model", "mlp"}, {"done", false}, {"kept", Json::Array{1, 2.5}}};
  CHECK(json.text() == R"({"step":3,"model":"mlp","done":false,"kept":[1,2.5]})");
  REQUIRE(json.find("model") != nullptr);
  CHECK(*json.find("model")->as<std::string>() == "mlp");
  CHECK(json.find("none") == nullptr);
  CHECK(Json(3).find("model") == nullptr);
}

TEST_CASE("json: what others lose silently is refused") {
  CHECK(refusal(R"({"a":1,"b":{"a":2},"a":3})") == "'a' stands in it twice; keep one");
  CHECK(refusal(R"({"a":{"b":1,"b":1}})") == "'a.b' stands in it twice; keep one");
  CHECK(refusal(R"({"a":[0,{"b c":1,"b c":1}]})") == R"('a[1]["b c"]' stands in it twice; keep one)");
  CHECK(refusal(R"([{"a":1},{"a":1}])").empty());
  CHECK(refusal(R"({"a":9223372036854775808})") ==
        "'a' has the value 9223372036854775808, beyond the 64 bits of an integer");
  CHECK(refusal(R"({"a":[{"b":1,"c":[0,-9223372036854775809]}]})") ==
        "'a[0].c[1]' has the value -9223372036854775809, beyond the 64 bits of an integer");
  CHECK(refusal("[99999999999999999999]") ==
        "'[0]' has the value 99999999999999999999, beyond the 64 bits of an integer");
  CHECK(refusal("99999999999999999999") == "its value is 99999999999999999999, beyond the 64 bits of an integer");
}

TEST_CASE("json: the tolerant mode reads what Python reads") {
  const auto read = [](const std::string& text) { return parse_json(text, JsonMode::tolerant); };
  CHECK(read(R"({"a":1,"b":{"a":2},"a":[3]})").text() == R"({"a":[3],"b":{"a":2}})");
  CHECK(read(R"({"a":1,"a":{"b":1,"c":2,"b":3},"a":{"b":4}})").text() == R"({"a":{"b":4}})");
  CHECK(read(R"([{"a":1},{"a":1}])").text() == R"([{"a":1},{"a":1}])");

  const Json large = read("[9223372036854775807,9223372036854775808,-99999999999999999999]");
  const auto& list = *large.as<Json::Array>();
  CHECK(list[0].as<std::int64_t>() != nullptr);
  REQUIRE(list[1].as<BigInteger>() != nullptr);
  CHECK(list[1].as<BigInteger>()->digits == "9223372036854775808");
  CHECK(list[1].as<BigInteger>()->nearest() == 0x1p63);
  CHECK(list[2].as<BigInteger>()->nearest() == -1e20);
  CHECK(read(large.text()) == large);
  CHECK(*read("99999999999999999999").as<BigInteger>() == BigInteger{"99999999999999999999"});

  for (const std::string& text :
       {nested(33, "1"), std::string("{\"a\":1} x"), std::string("{\"a\":1,}"), std::string("NaN")}) {
    CAPTURE(text);
    CHECK_THROWS_AS(static_cast<void>(read(text)), JsonError);
  }
  try {
    read(R"({"a":1,"a":2,"b":)" + std::string(40, '['));
    FAIL("no error");
  } catch (const JsonError& error) {
    CHECK(*error.reached().find("a")->as<std::int64_t>() == 2);
  }
}

TEST_CASE("json: no more than 32 levels, and what was read until then") {
  CHECK(refusal(nested(32, "1")).empty());
  CHECK(refusal(nested(33, "1")) == "it has more than 32 levels of lists and objects in each other");
  CHECK(refusal(std::string(1000000, '[')).starts_with("it has more than 32 levels"));
  try {
    parse_json(R"({"b":1,"a":)" + std::string(300000, '['));
    FAIL("no error");
  } catch (const JsonError& error) {
    REQUIRE(error.reached().find("a") != nullptr);
    CHECK(*error.reached().find("b")->as<std::int64_t>() == 1);
    CHECK(error.reached().find("a")->as<Json::Array>()->size() == 1);
  }
}

TEST_CASE("json: malformed text and anything after the value say where") {
  CHECK(refusal("").starts_with("it is not JSON at character 1: "));
  CHECK(refusal("{\"a\":1} x").starts_with("it is not JSON at character 9: "));
  CHECK(refusal("{}{}").starts_with("it is not JSON at character 3: "));
  CHECK(refusal("[1,]").starts_with("it is not JSON at character 4: "));
  CHECK(refusal("\"\xff\"").starts_with("it is not JSON at character 2: "));
  CHECK(refusal("1e400") == "it is not JSON at character 5: number overflow parsing '1e400'");
  for (const char* text : {"NaN", "nul", "{a:1}", "'a'", "01", "1.", "+1", "\"\\x\"", "[1", "{\"a\"", "/*c*/1"}) {
    CAPTURE(text);
    CHECK(refusal(text).starts_with("it is not JSON at character "));
    CHECK(refusal(text).find("json.exception") == std::string::npos);
  }
}
