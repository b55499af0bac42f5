// The reference cases of TF_CONFIG's readers, which lie next to the checkout. The tests beside this one have cases of
// their own, so that without that folder nothing goes untested.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "launch/readers/contrib_reader.h"
#include "launch/readers/estimator_reader.h"
#include "launch/readers/python_cluster_spec.h"
#include "launch/readers/resolver_reader.h"
#include "support/json_equal.h"
#include "support/reference_cases.h"

namespace lockstep {
namespace {

std::optional<std::string> text_in(const Json& object, std::string_view name) {
  const Json* const member = object.find(name);
  const auto* const text = member == nullptr ? nullptr : member->as<std::string>();
  return text == nullptr ? std::nullopt : std::optional(*text);
}

std::optional<std::int64_t> integer_in(const Json& object, std::string_view name) {
  const Json* const member = object.find(name);
  return member == nullptr ? std::nullopt : std::optional(*member->as<std::int64_t>());
}

const Json& argument_of(const Json& test) {
  static const Json kNone = Json::Object{};
  const Json* const arguments = test.find("ctor");
  return arguments == nullptr ? kNone : *arguments;
}

// Messages of int(), max() and json.loads() are those of one version of Python; of its other exceptions they count.
bool is_python_text(const Json& error) {
  if (text_in(error, "type") == "JSONDecodeError") return true;
  const std::string message = *text_in(error, "message");
  for (const char* part : {"int()", "max()", "object", "concatenate"}) {
    if (message.find(part) != std::string::npos) return true;
  }
  return false;
}

void check_error(const Json& expected, const PythonError& error) {
  CHECK(text_in(expected, "type") == error.type());
  if (!is_python_text(expected)) CHECK(text_in(expected, "message") == error.message());
}

void check_fields(const Json& test, const Json::Object& fields) {
  const Json read = fields;
  for (const auto& [name, expected] : *test.find("expect")->as<Json::Object>()) {
    CAPTURE(name);
    const Json* const value = read.find(name);
    REQUIRE(value != nullptr);
    CHECK_MESSAGE(equal_in_any_order(*value, expected), value->text(), " instead of ", expected.text());
  }
}

bool is_valid(const Json& test) { return *test.find("valid")->as<bool>(); }

// Of a reader that returns its fields or throws.
template <class Read>
void check_reader(const Json& test, Read read) {
  try {
    const Json::Object fields = read();
    CHECK(is_valid(test));
    if (is_valid(test)) check_fields(test, fields);
  } catch (const PythonError& error) {
    INFO(error.message());
    REQUIRE_FALSE(is_valid(test));
    check_error(*test.find("error"), error);
  }
}

void check_estimator(const Json& test) {
  check_reader(test, [&] {
    return read_as_estimator(text_in(test, "tf_config"), {.model_dir = text_in(argument_of(test), "model_dir")});
  });
}

void check_contrib(const Json& test) {
  const Json& arguments = argument_of(test);
  check_reader(test, [&] {
    return read_as_contrib(text_in(test, "tf_config"),
                           {.master = text_in(arguments, "master"), .model_dir = text_in(arguments, "model_dir")});
  });
}

void check_resolver(const Json& test) {
  const Json& arguments = argument_of(test);
  const TfConfigReading reading =
      read_as_resolver(text_in(test, "tf_config"), {.task_type = text_in(arguments, "task_type"),
                                                    .task_id = integer_in(arguments, "task_id"),
                                                    .rpc_layer = text_in(arguments, "rpc_layer"),
                                                    .master_task_type = text_in(arguments, "m_type"),
                                                    .master_task_id = integer_in(arguments, "m_id")});
  CHECK(is_valid(test) != reading.refusal.has_value());
  check_fields(test, reading.fields);
  if (reading.refusal) check_error(*test.find("first_error"), *reading.refusal);
}

void check_cluster_spec(const Json& test) {
  try {
    const PythonClusterSpec spec(*test.find("cluster"));
    REQUIRE(is_valid(test));
    CHECK(equal_in_any_order(spec.as_dict(), *test.find("as_dict")));
    CHECK(!spec.empty() == *test.find("truthy")->as<bool>());
    CHECK(spec.repr() == text_in(test, "repr"));
  } catch (const PythonError& error) {
    REQUIRE_FALSE(is_valid(test));
    check_error(*test.find("error"), error);
  }
}

}  // namespace

TEST_CASE("TF_CONFIG's readers: the reference cases") {
  const std::optional<Json> all = reference_cases("tf_config_cases.json");
  if (!all) return;
  using Check = void (*)(const Json&);
  const std::map<std::string, Check> readers = {{"estimator.RunConfig", check_estimator},
                                                {"contrib.learn.RunConfig", check_contrib},
                                                {"TFConfigClusterResolver+multi_worker_util", check_resolver},
                                                {"ClusterSpec", check_cluster_spec}};
  std::map<std::string, int> checked;  // by reader
  for (const Json& test : *all->find("cases")->as<Json::Array>()) {
    CAPTURE(*text_in(test, "name"));
    const std::string reader = *text_in(test, "reader");
    REQUIRE(readers.contains(reader));
    readers.at(reader)(test);
    ++checked[reader];
  }
  for (const auto& [reader, check] : readers) CHECK(checked[reader] > 0);
}

}  // namespace lockstep
