#include "launch/translate.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.h"

using lockstep::Error;
using lockstep::ExitCode;
using Args = std::vector<std::string>;

namespace {

// What is printed.
std::string translate(const Args& args) {
  std::string printed;
  const ExitCode code = lockstep::translate(args, [&printed](std::string_view text) { printed += text; });
  CHECK(code == ExitCode::done);
  return printed;
}

const std::string kBase = R"(--hparams_base={"aaa":1,"b":2.0,"c_c":"relu6","use_gpu":false,"lst":[1,2],"fl":[0.5]})";

std::string refusal(const Args& args) {
  try {
    translate(args);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("translate: the base with the overrides applied, in the base's order") {
  CHECK(translate(Args{kBase}) ==
        "{\"aaa\":1,\"b\":2.0,\"c_c\":\"relu6\",\"use_gpu\":false,\"lst\":[1,2],\"fl\":[0.5]}\n");
  CHECK(translate(Args{kBase, "--hparams=b=3,fl=[1 2],aaa=12,use_gpu=7,c_c=a=b", "--format=json"}) ==
        "{\"aaa\":12,\"b\":3.0,\"c_c\":\"a=b\",\"use_gpu\":true,\"lst\":[1,2],\"fl\":[1.0,2.0]}\n");
  CHECK(translate(Args{"--hparams-base", "{\"b\":1.5}", "--hparams", "b=nan"}) == "{\"b\":\"nan\"}\n");
}

TEST_CASE("translate: T2T's message is all there is on a refusal") {
  CHECK(refusal({kBase, "--hparams=x=123"}) == "Unknown hyperparameter type for x");
  CHECK(refusal({kBase, "--hparams= aaa=5"}) == "Malformed hyperparameter value:  aaa=5");
}

TEST_CASE("translate: its own flags") {
  CHECK(refusal({"--hparams=a=1"}).starts_with("lockstep translate needs --hparams_base=JSON"));
  CHECK(refusal({kBase, "--format=yaml"}) == "--format=yaml: expected json");
  CHECK(refusal({kBase, "--hparam=a=1"}) ==
        "unknown flag --hparam (did you mean --hparams?); lockstep translate --help lists the flags");
  CHECK(translate(Args{"--help"}).starts_with("lockstep translate: "));
  CHECK(translate(Args{"--help=true"}).starts_with("lockstep translate: "));
}
