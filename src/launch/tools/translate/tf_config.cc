#include "launch/tools/translate/tf_config.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "launch/cluster/lockstep_reader.h"
#include "launch/tools/translate/python_reader.h"
#include "launch/tools/translate/sources/told_cluster.h"

namespace lockstep {
namespace {

// The first one is train's, which reads the flags as well. The others are TensorFlow's.
const std::vector<std::string>& reader_names() {
  static const std::vector<std::string> names = {"lockstep", "estimator", "contrib", "resolver"};
  return names;
}

void print_reading_of_tensorflow(const std::string& reader, const CommandLine& line, const Environment& environment,
                                 const Print& print) {
  for (const char* flag : kClusterFlags) {
    if (line.given(flag)) line.refuse(flag, fmt::format("--reader={} reads TF_CONFIG alone", reader));
  }
  const PythonReading reading = read_with_python(
      reader, line.given("tf_config") ? std::optional(line.text("tf_config")) : environment("TF_CONFIG"));
  print(reading.json);
  if (!reading.refusal.empty()) throw Error(ExitCode::configuration, reading.refusal, Scope::every_rank);
}

}  // namespace

ExitCode translate_tf_config(const CommandLine& line, const Environment& environment, const Print& print) {
  const std::size_t reader = line.choice("reader", reader_names());
  if (reader == 0) {
    print(Json(read_as_lockstep(told_cluster(line, environment), cluster_flags(line))).text() + "\n");
  } else {
    print_reading_of_tensorflow(reader_names()[reader], line, environment, print);
  }
  return ExitCode::done;
}

}  // namespace lockstep
