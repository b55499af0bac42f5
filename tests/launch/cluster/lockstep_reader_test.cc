#include "launch/cluster/lockstep_reader.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "launch/cluster/tf_config.h"

namespace lockstep {
namespace {

// Returns our view of the text as JSON.
std::string read(const std::string& text, const ClusterFlags& flags = {}) {
  return Json(read_as_lockstep(read_tf_config(text, "TF_CONFIG"), flags)).text();
}

const std::string kMasterAndPs = R"("cluster": {"master": ["m:1"], "ps": ["a:1", "b:1"]})";

}  // namespace

TEST_CASE("our own view of TF_CONFIG: without one, this process is alone") {
  const std::string alone =
      R"({"role":"worker","task_id":0,"is_chief":true,"num_workers":1,"num_ps":0,"id_in_cluster":0,"master":null,)"
      R"("cluster":{},"device_filters":null,"rank":0,"world_size":1,"warnings":[]})";
  CHECK(Json(read_as_lockstep({}, {})).text() == alone);
  CHECK(read("{}") == alone);
}

TEST_CASE("our own view of TF_CONFIG: a task's rank is that of its first one") {
  const std::string text = "{" + kMasterAndPs + R"(, "task": {"type": "ps", "index": 1}})";
  CHECK(
      read(text, {.ps_gpu = 2})
          .starts_with(
              R"({"role":"ps","task_id":1,"is_chief":false,"num_workers":1,"num_ps":2,"id_in_cluster":2,)"
              R"("master":null,"cluster":{"master":["m:1"],"ps":["a:1","b:1"]},"device_filters":null,"rank":3,"world_size":5,)"
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

}  // namespace lockstep
