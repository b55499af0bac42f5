#include "launch/readers/lockstep_reader.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "launch/cluster/tf_config.h"
#include "launch/readers/estimator_reader.h"
#include "launch/readers/python_error.h"
#include "launch/readers/resolver_reader.h"
#include "support/reference_cases.h"

namespace lockstep {
namespace {

// As JSON.
std::string read(const std::string& text, const ClusterFlags& flags = {}) {
  return Json(read_as_lockstep(read_tf_config(text, "TF_CONFIG"), flags)).text();
}

const std::string kMasterAndPs = R"("cluster": {"master": ["m:1"], "ps": ["a:1", "b:1"]})";

}  // namespace

TEST_CASE("our own view of TF_CONFIG: without one, this process is alone") {
  const std::string alone =
      R"({"role":"worker","task_id":0,"is_chief":true,"num_workers":1,"num_ps":0,"id_in_cluster":0,"cluster":{},)"
      R"("rank":0,"world_size":1,"warnings":[]})";
  CHECK(Json(read_as_lockstep({}, {})).text() == alone);
  CHECK(read("{}") == alone);
}

TEST_CASE("our own view of TF_CONFIG: a task's rank is that of its first one") {
  const std::string text = "{" + kMasterAndPs + R"(, "task": {"type": "ps", "index": 1}})";
  CHECK(read(text, {.ps_gpu = 2})
            .starts_with(R"({"role":"ps","task_id":1,"is_chief":false,"num_workers":1,"num_ps":2,"id_in_cluster":2,)"
                         R"("cluster":{"master":["m:1"],"ps":["a:1","b:1"]},"rank":3,"world_size":5,)"
                         R"("warnings":["TF_CONFIG: tf.distribute's reader would refuse it, )"));
  CHECK(read(text).find(R"("rank":2,"world_size":3,)") != std::string::npos);
}

TEST_CASE("our own view of TF_CONFIG: who is not said to be a task, and who evaluates") {
  const std::string cluster = R"("cluster": {"chief": ["c:1"], "worker": {"1": "w:1"}})";
  const Json evaluator = read_as_lockstep(
      read_tf_config("{" + cluster + R"(, "task": {"type": "evaluator", "index": 0}})", "TF_CONFIG"), {});
  CHECK(*evaluator.find("is_chief") == Json(false));
  CHECK(*evaluator.find("id_in_cluster") == Json());
  CHECK(*evaluator.find("rank") == Json(std::int64_t{0}));
  CHECK(*evaluator.find("world_size") == Json(std::int64_t{1}));

  const Json worker =
      read_as_lockstep(read_tf_config("{" + cluster + R"(, "task": {"type": "worker", "index": 1}})", "TF_CONFIG"), {});
  CHECK(*worker.find("rank") == Json(std::int64_t{1}));
  CHECK(*worker.find("world_size") == Json(std::int64_t{2}));

  const Json nobody = read_as_lockstep(read_tf_config(R"({"cluster": {"worker": ["a:1", "b:1"]}})", "TF_CONFIG"), {});
  CHECK(*nobody.find("role") == Json());
  CHECK(*nobody.find("is_chief") == Json());
  CHECK(*nobody.find("rank") == Json());
  CHECK(*nobody.find("num_workers") == Json(std::int64_t{2}));
}

// Of TensorFlow's readers, which disagree.
TEST_CASE("our own view of TF_CONFIG: the reference cases that both of TensorFlow's readers take or refuse") {
  const std::optional<Json> all = reference_cases("tf_config_cases.json");
  if (!all) return;
  const auto estimator_takes = [](const std::string& text) {
    try {
      read_as_estimator(text);
      return true;
    } catch (const PythonError&) {
      return false;
    }
  };
  const auto resolver_takes = [](const std::string& text) {
    try {
      return !read_as_resolver(text).refusal.has_value();
    } catch (const PythonError&) {
      return false;
    }
  };
  const auto we_take = [](const std::string& text) {
    try {
      const ClusterFlags flags{.has_parameter_server = true};
      read_as_lockstep(read_tf_config(text, "TF_CONFIG"), flags);
      return true;
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::configuration);
      return false;
    }
  };
  int both_take = 0;
  int both_refuse = 0;
  for (const Json& test : *all->find("cases")->as<Json::Array>()) {
    const Json* const member = test.find("tf_config");
    const auto* const text = member == nullptr ? nullptr : member->as<std::string>();
    if (text == nullptr) continue;
    CAPTURE(*text);
    const bool estimator = estimator_takes(*text);
    if (estimator != resolver_takes(*text)) continue;
    CHECK(we_take(*text) == estimator);
    ++(estimator ? both_take : both_refuse);
  }
  CHECK(both_take > 0);
  CHECK(both_refuse > 0);
}

}  // namespace lockstep
