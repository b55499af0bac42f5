#include "launch/readers/contrib_reader.h"

#include <doctest/doctest.h>

#include <string>

#include "launch/readers/python_error.h"

namespace lockstep {
namespace {

Json read(const std::string& tf_config, const ContribArguments& arguments = {}) {
  return read_as_contrib(tf_config, arguments);
}

std::string refusal(const std::string& tf_config, const ContribArguments& arguments = {}) {
  try {
    read_as_contrib(tf_config, arguments);
  } catch (const PythonError& error) {
    return error.type() + ": " + error.message();
  }
  return "";
}

std::string task(const std::string& type, const std::string& index, const std::string& environment) {
  return R"({"cluster": {"master": ["m:1"], "worker": ["w:1", "v:1"]}, "task": {"type": )" + type + R"(, "index": )" +
         index + R"(}, "environment": )" + environment + "}";
}

}  // namespace

TEST_CASE("contrib: unset and empty are alike, without a role, and the chief") {
  CHECK(Json(read_as_contrib({})).text() ==
        R"({"role":null,"task_id":0,"is_chief":true,"num_workers":0,"num_ps":0,"id_in_cluster":null,"master":"",)"
        R"("environment":"local","starts_server_on_train":false,"cluster":{},"model_dir":null,"warnings":[]})");
  CHECK(read("").text() == Json(read_as_contrib({})).text());
}

TEST_CASE("contrib: who is the chief depends on the environment, and who starts a server") {
  const auto chief = [](const std::string& tf_config) { return *read(tf_config).find("is_chief")->as<bool>(); };
  const auto serves = [](const std::string& tf_config) {
    return *read(tf_config).find("starts_server_on_train")->as<bool>();
  };
  CHECK(chief(task("\"master\"", "0", "\"cloud\"")));
  CHECK_FALSE(chief(task("\"worker\"", "0", "\"cloud\"")));
  for (const char* environment : {"\"local\"", "\"google\"", "\"other\"", "null"}) {
    CHECK(chief(task("\"worker\"", "0", environment)));
    CHECK_FALSE(chief(task("\"master\"", "0", environment)));
    CHECK_FALSE(chief(task("\"worker\"", "1", environment)));
  }
  CHECK(chief(task("null", "\"0\"", "\"cloud\"")));
  CHECK_FALSE(chief(task("null", "1", "\"cloud\"")));
  CHECK_FALSE(chief(task("\"\"", "0", "\"local\"")));

  CHECK(serves(task("\"worker\"", "0", "\"cloud\"")));
  CHECK(serves(task("\"worker\"", "0", "null")));
  CHECK_FALSE(serves(task("\"worker\"", "0", "\"google\"")));
  CHECK_FALSE(serves(task("null", "0", "\"cloud\"")));
}

TEST_CASE("contrib: an index is checked where an address is looked up by it") {
  CHECK(refusal(task("\"worker\"", "2", "\"cloud\"")) ==
        "ValueError: 2 is not a valid task_id for task_type worker in the cluster_spec:\nClusterSpec({'master': "
        "['m:1'], 'worker': ['w:1', 'v:1']})\n\nNote that these value may be coming from the TF_CONFIG environment "
        "variable.");
  CHECK(refusal(task("\"worker\"", "-1", "\"cloud\"")).starts_with("ValueError: -1 is not a valid task_id"));
  CHECK(refusal(task("\"ps\"", "0", "\"cloud\"")).starts_with("ValueError: ps is not a valid task_type"));
  CHECK(refusal(task("\"worker\"", "\"x\"", "\"cloud\"")) == "ValueError: invalid literal for int() with base 10: 'x'");
  CHECK(read(task("\"worker\"", "7", "\"cloud\""), {.master = ""}).find("master")->text() == "\"\"");
  CHECK(read(R"({"cluster": {"worker": ["w:1"]}, "task": {"type": "ps", "index": 9}})").find("task_id")->text() == "9");
  CHECK(refusal(R"({"cluster": {"worker": {"1": "w:1"}}, "task": {"type": "worker"}})") ==
        "TypeError: can only concatenate str (not \"NoneType\") to str");
  for (const char* empty : {"null", "\"\"", "[]", "false", "0.0"}) {
    CHECK(read(task("\"worker\"", empty, "\"cloud\"")).find("task_id")->text() == "0");
  }
}

TEST_CASE("contrib: --master goes before the cluster's address, a differing folder is refused") {
  CHECK(read(task("\"worker\"", "1", "\"cloud\""), {.master = "grpc://x:1"}).find("master")->text() ==
        "\"grpc://x:1\"");
  CHECK(refusal(R"({"model_dir": "/b"})", {.model_dir = "/a"})
            .ends_with("model_dir: /a\nTF_CONFIG[\"model_dir\"]: /b.\n"));
  CHECK(read(R"({"model_dir": "/b"})").find("model_dir")->text() == "\"/b\"");
}

}  // namespace lockstep
