#include "base/hparams_json.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"

using lockstep::Error;
using lockstep::ExitCode;
using lockstep::HParams;
using lockstep::hparams_from_json;
using lockstep::hparams_to_json;

namespace {

std::string round_trip(const std::string& text) { return hparams_to_json(hparams_from_json(text, "--base")); }

// Returns the reason for which text is refused: the part between "--base: " and the expectation.
std::string refusal(const std::string& text) {
  const std::string tail = R"(; expected one flat JSON object, such as {"hidden_size": 512, "dropout": 0.1})";
  try {
    hparams_from_json(text, "--base");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    const std::string message = error.what();
    CHECK(message.starts_with("--base: "));
    CHECK(message.ends_with(tail));
    return message.substr(8, message.size() - 8 - tail.size());
  }
  return "";
}

}  // namespace

TEST_CASE("hparams as JSON: types and order stay as they came") {
  const std::string text =
      R"({"z":1,"b":2.0,"a":"x\"y","on":true,"zs":[1,2],"fs":[0.5,1.0],"s":["q"],"flags":[false],"none":null,"neg":-3})";
  CHECK(round_trip(text) == text);
  CHECK(round_trip(" { \"a\" : [ 1 , 2 ] } ") == R"({"a":[1,2]})");
  CHECK(round_trip("{}") == "{}");
  CHECK(round_trip(R"({"a":1e2,"b":1e300,"c":-0.0})") == R"({"a":100.0,"b":1e+300,"c":-0.0})");
  CHECK(round_trip(R"({"a":9223372036854775807,"b":-9223372036854775808})") ==
        R"({"a":9223372036854775807,"b":-9223372036854775808})");
  CHECK(round_trip("{\"a\":\"\xc3\xa9\"}") == "{\"a\":\"\xc3\xa9\"}");
}

TEST_CASE("hparams as JSON: types can be read from") {
  const HParams hparams = hparams_from_json(R"({"i":2,"f":2.0,"b":false,"t":"x","n":null})", "--base").hparams;
  CHECK(hparams.integer("i") == 2);
  CHECK(std::holds_alternative<double>(hparams.values().at("f")));
  CHECK_FALSE(hparams.boolean("b"));
  CHECK(hparams.text("t") == "x");
  CHECK_FALSE(hparams.has("n"));
}

TEST_CASE("hparams as JSON: a set on its own is printed by name, what JSON lacks as a text") {
  HParams hparams;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  hparams.set("c", kInfinity).set("b", std::vector<double>{-kInfinity, 1}).set("a", std::nan(""));
  CHECK(hparams_to_json(hparams) == R"({"a":"nan","b":["-inf",1.0],"c":"inf"})");
}

TEST_CASE("hparams as JSON: what would be lost silently is refused") {
  CHECK(refusal(R"({"a":1,"b":2,"a":3})") == "'a' stands in it twice; keep one");
  CHECK(refusal(R"({"a":null,"a":3})") == "'a' stands in it twice; keep one");
  CHECK(refusal(R"({"a":9223372036854775808})") ==
        "'a' has the value 9223372036854775808, beyond the 64 bits of an integer");
  CHECK(refusal(R"({"a":[1,-99999999999999999999]})") ==
        "'a[1]' has the value -99999999999999999999, beyond the 64 bits of an integer");
  CHECK(refusal(R"({"a":[1,2.0]})") == "the list 'a' mixes types");
  CHECK(refusal(R"({"a":[1,true]})") == "the list 'a' mixes types");
  CHECK(refusal(R"({"a":[]})").starts_with("Multi-valued hyperparameters cannot be empty: a"));
}

TEST_CASE("hparams as JSON: anything but a flat object is refused, however deep") {
  CHECK(refusal("3") == "it is a single value, not an object");
  CHECK(refusal("null") == "it is null, not an object");
  CHECK(refusal("18446744073709551616") == "it is a number, not an object");
  CHECK(refusal("[1]") == "it is a list, not an object");
  CHECK(refusal(R"({"a":{"b":1}})") == "the value of 'a' is or holds an object; the base is flat");
  CHECK(refusal(R"({"a":[{}]})") == "the value of 'a' is or holds an object; the base is flat");
  CHECK(refusal(R"({"a":[1,[2]]})") == "the value of 'a' is a list in a list");
  CHECK(refusal(R"({"a":[null]})") == "'a' is a list with a null in it");
  CHECK(refusal("{\"a\":" + std::string(300000, '[')) == "the value of 'a' is a list in a list");
}

TEST_CASE("hparams as JSON: malformed text says where") {
  CHECK(refusal("").starts_with("it is not JSON at character 1: "));
  CHECK(refusal(R"({"a":1)").starts_with("it is not JSON at character 7: "));
  CHECK(refusal(R"({"a":1}})").starts_with("it is not JSON at character 8: "));
  CHECK(refusal(R"({"a":NaN})").find("json.exception") == std::string::npos);
  CHECK(refusal("{\"a\":\"\xff\"}").starts_with("it is not JSON at character 7: "));
  CHECK(refusal(R"({"a":1e400})") == "it is not JSON at character 10: number overflow parsing '1e400'");
}

TEST_CASE("hparams as JSON: a text that is not UTF-8 cannot be written") {
  HParams hparams;
  hparams.set("a", std::string("\xff"));
  CHECK_THROWS_AS(static_cast<void>(hparams_to_json(hparams)), Error);
}
