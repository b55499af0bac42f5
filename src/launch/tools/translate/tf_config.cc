#include "launch/tools/translate/tf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "launch/readers/contrib_reader.h"
#include "launch/readers/estimator_reader.h"
#include "launch/readers/lockstep_reader.h"
#include "launch/readers/python_error.h"
#include "launch/readers/resolver_reader.h"
#include "launch/tools/translate/sources/told_cluster.h"

namespace lockstep {
namespace {

struct TfConfigReader {
  const char* name;
  // What a reader of TensorFlow's makes of the variable's value; nothing: it is not set. What it refuses it throws as a
  // PythonError, or returns beside what can be read all the same. Null: our own, which reads the flags as well.
  TfConfigReading (*read)(const std::optional<std::string>& tf_config);
};

constexpr TfConfigReader kReaders[] = {
    {"lockstep", nullptr},
    {"estimator",
     [](const std::optional<std::string>& tf_config) { return TfConfigReading{read_as_estimator(tf_config)}; }},
    {"contrib",
     [](const std::optional<std::string>& tf_config) { return TfConfigReading{read_as_contrib(tf_config)}; }},
    {"resolver", [](const std::optional<std::string>& tf_config) { return read_as_resolver(tf_config); }},
};

// In every reader's answer, null where it knows no such thing. What only some of them say follows.
constexpr const char* kFields[] = {"role",   "task_id", "is_chief",       "num_workers", "num_ps",     "id_in_cluster",
                                   "master", "cluster", "device_filters", "rank",        "world_size", "warnings"};

Json with_all_fields(const Json::Object& fields) {
  const Json read = fields;
  Json::Object all;
  for (const char* name : kFields) {
    const Json* const value = read.find(name);
    all.emplace_back(name, value == nullptr ? Json() : *value);
  }
  for (const Json::Member& field : fields) {
    if (std::ranges::find(kFields, field.first) == std::end(kFields)) all.push_back(field);
  }
  return all;
}

[[noreturn]] void refuse_tf_config(const PythonError& error) {
  throw Error(ExitCode::configuration, fmt::format("{}: {}", error.type(), error.message()), Scope::every_rank);
}

std::vector<std::string> reader_names() {
  std::vector<std::string> names;
  for (const TfConfigReader& reader : kReaders) names.emplace_back(reader.name);
  return names;
}

// As train reads it.
TfConfigReading read_as_train(const CommandLine& line, const Environment& environment) {
  return TfConfigReading{read_as_lockstep(told_cluster(line, environment), cluster_flags(line))};
}

TfConfigReading read_with(const TfConfigReader& reader, const CommandLine& line, const Environment& environment) {
  if (reader.read == nullptr) return read_as_train(line, environment);
  for (const char* flag : kClusterFlags) {
    if (line.given(flag)) line.refuse(flag, fmt::format("--reader={} reads TF_CONFIG alone", reader.name));
  }
  return reader.read(line.given("tf_config") ? std::optional(line.text("tf_config")) : environment("TF_CONFIG"));
}

}  // namespace

ExitCode translate_tf_config(const CommandLine& line, const Environment& environment, const Print& print) {
  const TfConfigReader& reader = kReaders[line.choice("reader", reader_names())];
  try {
    const TfConfigReading reading = read_with(reader, line, environment);
    print(with_all_fields(reading.fields).text() + "\n");
    if (reading.refusal) refuse_tf_config(*reading.refusal);
  } catch (const PythonError& error) {
    refuse_tf_config(error);
  }
  return ExitCode::done;
}

}  // namespace lockstep
