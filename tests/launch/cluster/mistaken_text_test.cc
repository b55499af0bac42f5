#include "launch/cluster/mistaken_text.h"

#include <doctest/doctest.h>

#include <string>

#include "launch/cluster/tf_config.h"
#include "support/check_error.h"

namespace lockstep {

TEST_CASE("what a TF_CONFIG seems to be that is no JSON") {
  const auto seems = [](std::string_view text) { return what_it_seems(text, "TF_CONFIG"); };
  for (const char* text : {"{'cluster': {'worker': ['a:1']}}", " { 'cluster': {}}", "{u'cluster': {}}"}) {
    CHECK(seems(text) == "it is a dictionary as Python prints it, in single quotes; write it by json.dumps()");
  }
  for (const char* text : {"$(TF_CONFIG)", "${TF_CONFIG}", "$TF_CONFIG"}) {
    CHECK(seems(text).starts_with("it is a variable that nothing has replaced; "));
  }
  for (const char* text : {"/etc/tf_config", "./tf_config", "~/tf_config", "config/tf_config.json"}) {
    CHECK(seems(text) == "it is a path; give the text itself: TF_CONFIG=\"$(cat FILE)\"");
  }
  for (const char* text : {"", "{", "{cluster", "cluster", "[]", "{\"cluster\": 'a'}"}) CHECK(seems(text).empty());
}

TEST_CASE("TF_CONFIG: a text that is no JSON is refused with what it seems to be") {
  const auto refused = [](const std::string& text, const std::string& why) {
    check_error(ExitCode::configuration, {why}, [&] { read_tf_config(text, "TF_CONFIG"); });
  };
  refused("$(TF_CONFIG)", "TF_CONFIG: '$(TF_CONFIG)' is no JSON: it is a variable");
  refused("{'cluster': 5}", "TF_CONFIG: '{'cluster': 5}' is no JSON: it is a dictionary as Python prints it");
  refused("{cluster", "TF_CONFIG: it is not JSON at character 2");
}

}  // namespace lockstep
