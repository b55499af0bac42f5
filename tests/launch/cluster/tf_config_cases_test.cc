// Reference cases of TensorFlow's readers, kept next to the checkout: what a reader accepts, we accept, and what it
// refuses, we refuse or warn about. tf_config_test.cc has the same rules without that folder.
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "launch/cluster/tf_config.h"
#include "support/reference_cases.h"

namespace lockstep {
namespace {

// Our reaction to a text, for one of TensorFlow's readers.
enum class Verdict { taken, warned, refused };

Verdict verdict(const std::string& text, const std::string& reader) {
  try {
    for (const std::string& warning : read_tf_config(text, "TF_CONFIG").warnings) {
      if (warning.find(reader + " would refuse it") != std::string::npos) return Verdict::warned;
    }
    return Verdict::taken;
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::configuration);
    return Verdict::refused;
  }
}

std::string text_in(const Json& object, std::string_view name) {
  const Json* member = object.find(name);
  const auto* text = member == nullptr ? nullptr : member->as<std::string>();
  return text == nullptr ? "" : *text;
}

const std::map<std::string, std::string> kReaders = {
    {"estimator.RunConfig", "the estimator's reader"},
    {"TFConfigClusterResolver+multi_worker_util", "tf.distribute's reader"}};

// Excluded: model_dir concerns the constructor's argument, and no reader finds the address for an index below 0.
bool is_ours(const std::string& name) { return !name.starts_with("model_dir_") && name != "m_index_negative_accepted"; }

}  // namespace

TEST_CASE("TF_CONFIG: the reference cases of TensorFlow's readers") {
  const std::optional<Json> all = reference_cases("tf_config_cases.json");
  if (!all) return;
  int checked = 0;
  for (const Json& test : *all->find("cases")->as<Json::Array>()) {
    const std::string name = text_in(test, "name");
    CAPTURE(name);
    const Json* const text = test.find("tf_config");
    const auto reader = kReaders.find(text_in(test, "reader"));
    if (reader == kReaders.end() || text == nullptr || text->as<std::string>() == nullptr || !is_ours(name)) continue;
    const Verdict ours = verdict(*text->as<std::string>(), reader->second);
    const bool is_valid = *test.find("valid")->as<bool>();
    CHECK((ours == Verdict::taken) == is_valid);
    ++checked;
  }
  CHECK(checked > 0);
}

}  // namespace lockstep
