// Reference cases of tensor2tensor's own parser, kept next to the checkout. hparams_test.cc has the same grammar
// compiled in, so that it is tested without that folder, too.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "base/hparams.h"

using lockstep::Error;
using lockstep::ExitCode;
using lockstep::HParams;
using Json = nlohmann::json;

namespace {

template <class T>
std::vector<T> elements(const Json& list) {
  return list.get<std::vector<T>>();
}

// Converts a JSON value to the hparam type that `like` has; the file writes numbers that JSON lacks as texts.
HParams::Value value_of(const Json& value, const Json& like) {
  if (like.is_array()) {
    if (like[0].is_number_integer()) return elements<std::int64_t>(value);
    if (like[0].is_number_float()) return elements<double>(value);
    if (like[0].is_boolean()) return elements<bool>(value);
    return elements<std::string>(value);
  }
  if (like.is_boolean()) return value.get<bool>();
  if (like.is_number_integer()) return value.get<std::int64_t>();
  if (like.is_number_float()) return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
  return value.get<std::string>();
}

bool same(const HParams::Value& a, const HParams::Value& b) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if (x != nullptr && y != nullptr && *x != *x) return *y != *y;
  return a == b;
}

void check_case(const Json& base, const Json& test) {
  const auto input = test.at("input").get<std::string>();
  CAPTURE(input);
  HParams hparams;
  HParams expected;
  for (const auto& [name, value] : base.items()) {
    hparams.set(name, value_of(value, value));
    expected.set(name, value_of(value, value));
  }
  std::string message;
  try {
    hparams.parse(input);
  } catch (const Error& error) {
    message = error.what();
    CHECK(error.code() == ExitCode::usage);
  }
  if (test.at("valid").get<bool>()) {
    CHECK(message.empty());
    for (const auto& [name, value] : test.at("changed").items()) expected.set(name, value_of(value, base.at(name)));
  } else {
    const auto wanted = test.at("error").at("message").get<std::string>();
    CHECK(message.substr(0, wanted.size()) == wanted);
  }
  for (const auto& [name, value] : expected.values()) CHECK(same(hparams.values().at(name), value));
}

}  // namespace

TEST_CASE("hparams: the reference cases of tensor2tensor") {
  const std::filesystem::path file = std::filesystem::path(LOCKSTEP_SHARED_DIR) / "cases/hparams_parse_cases.json";
  if (!std::filesystem::exists(file)) {
    MESSAGE("REFERENCE CASES ABSENT: no ", file.string(), "; only the cases of hparams_test.cc were tested");
    return;
  }
  std::ifstream stream(file);
  const Json all = Json::parse(stream);
  REQUIRE(all.at("cases").size() > 0);
  for (const Json& test : all.at("cases")) check_case(all.at("_meta").at("base"), test);
}
