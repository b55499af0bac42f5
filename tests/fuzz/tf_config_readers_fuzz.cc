// A TF_CONFIG as TensorFlow's readers see it. The first byte says which arguments their constructors have; the text
// follows.
#include <algorithm>
#include <optional>
#include <string>

#include "fuzzing.h"
#include "launch/readers/contrib_reader.h"
#include "launch/readers/estimator_reader.h"
#include "launch/readers/python_error.h"
#include "launch/readers/resolver_reader.h"

using namespace lockstep;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

// What a reader takes it says in JSON; what it refuses, with a type and a message.
template <class Read>
std::optional<Json> taken(Read read) {
  try {
    const Json fields = read();
    must(parse_json(fields.text(), JsonMode::tolerant) == fields);
    return fields;
  } catch (const PythonError& error) {
    must(error.type().ends_with("Error"));
    must(!error.message().empty());
    return std::nullopt;
  }
}

std::int64_t count(const Json& fields, const char* name) { return *fields.find(name)->as<std::int64_t>(); }

bool is_error(const Json& value) {
  const Json* const error = value.find("error");
  return error != nullptr && error->find("type") != nullptr && error->find("message") != nullptr;
}

void estimator(const Json& fields) {
  const bool chief = *fields.find("is_chief")->as<bool>();
  must(!chief || count(fields, "id_in_cluster") == 0);
  must(count(fields, "num_workers") >= (chief ? 1 : 0));
  must(count(fields, "num_ps") >= 0);
  must(fields.find("role")->as<std::string>() != nullptr);
}

void contrib(const Json& fields) {
  must(count(fields, "num_workers") >= 0 && count(fields, "num_ps") >= 0);
  if (*fields.find("is_chief")->as<bool>()) must(count(fields, "task_id") == 0);
}

void resolver(const TfConfigReading& reading) {
  const Json fields = reading.fields;
  must(parse_json(fields.text(), JsonMode::tolerant) == fields);
  must(reading.refusal.has_value() == is_error(*fields.find("is_chief")));
  for (const char* name : {"num_workers", "num_ps"}) {
    must(is_error(*fields.find(name)) || count(fields, name) >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::uint8_t arguments = input.byte();
  const std::string text = input.text(size);
  const auto given = [arguments](unsigned bit, const char* value) -> std::optional<std::string> {
    if ((arguments >> bit & 1U) == 0) return std::nullopt;
    return value;
  };
  const auto of_estimator = taken([&] { return Json(read_as_estimator(text, {.model_dir = given(0, "/a")})); });
  if (of_estimator) estimator(*of_estimator);
  const auto of_contrib =
      taken([&] { return Json(read_as_contrib(text, {.master = given(1, ""), .model_dir = given(0, "/a")})); });
  if (of_contrib) contrib(*of_contrib);
  resolver(read_as_resolver(text, {.task_type = given(2, "worker"),
                                   .task_id = given(3, "") ? std::optional<std::int64_t>(1) : std::nullopt,
                                   .rpc_layer = given(4, "grpc")}));
  return 0;
}
