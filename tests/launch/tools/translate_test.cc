#include "launch/tools/translate.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "launch/tools/translate/sources/told_cluster.h"
#include "launch/tools/translate/translate_help.h"
#include "support/fake_environment.h"
#include "train/config/train_setting.h"

using lockstep::Environment;
using lockstep::Error;
using lockstep::ExitCode;
using Args = std::vector<std::string>;

namespace {

const Environment kNoVariables = lockstep::fake_environment({});

const lockstep::Print kNoWarning = [](std::string_view text) { FAIL_CHECK(text); };

// Returns the program's output.
std::string translate(const Args& args, const Environment& environment = kNoVariables) {
  std::string printed;
  const ExitCode code = lockstep::translate(
      args, environment, [&printed](std::string_view text) { printed += text; }, kNoWarning);
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

TEST_CASE("translate: Slurm's lists, expanded") {
  CHECK(translate({"--hostlist=n[08-10],a"}) == "[\"n08\",\"n09\",\"n10\",\"a\"]\n");
  CHECK(translate({"--tasks_per_node=2(x2),1"}) == "[2,2,1]\n");
  CHECK(translate({"--hostlist="}) == "[]\n");
  CHECK(translate({"--tasks-per-node", "3(x0)"}) == "[]\n");
  CHECK(refusal({"--hostlist=n[1"}).starts_with("Invalid hostlist format \"n[1\": "));
  CHECK(refusal({"--tasks_per_node=2, 1"}).starts_with("Invalid tasks-per-node list format \"2, 1\": "));
  CHECK(refusal({"--hostlist=n\xff"}).find("not UTF-8") != std::string::npos);
}

TEST_CASE("translate: both lists give each rank's place, in the order of the hostlist") {
  CHECK(translate({"--hostlist=n[9-10],a", "--tasks_per_node=2,0,1"}) ==
        "[{\"rank\":0,\"host\":\"n9\",\"local_rank\":0},{\"rank\":1,\"host\":\"n9\",\"local_rank\":1},"
        "{\"rank\":2,\"host\":\"a\",\"local_rank\":0}]\n");
  CHECK(translate({"--hostlist=", "--tasks_per_node=3(x0)"}) == "[]\n");
  CHECK(refusal({"--hostlist=n[1-3]", "--tasks_per_node=2"}) ==
        "--hostlist stands for 3 hosts and --tasks_per_node for 1; they have to be as many");
  CHECK(refusal({"--hostlist=n[1-2]", "--tasks_per_node=2000000000(x2)"}).find("more than 262144 tasks") !=
        std::string::npos);
}

TEST_CASE("translate: its own flags") {
  CHECK(refusal({}).starts_with("lockstep cluster needs --explain or --format=FORMAT"));
  CHECK(refusal({"--hostlist=a", "--hparams=a=1"}).find("not translated at once") != std::string::npos);

  CHECK(refusal({"--hparams=a=1"}).starts_with("lockstep cluster needs --hparams_base=JSON"));
  CHECK(refusal({"--reader=resolver", "--hostlist=a"}).find("not translated at once") != std::string::npos);
  CHECK(refusal({"--reader=estimator", "--ps_gpu=2"}) == "--ps_gpu=2: --reader=estimator reads TF_CONFIG alone");
  CHECK(refusal({"--reader=estimator", "--explain"}) ==
        "--explain=true: it is for the ranks of a job, not for --reader; leave it out");
  CHECK(refusal({"--reader=estimator", "--format=qsub"}) ==
        "--format=qsub: --reader has the one format json, the others are for the ranks of a job; leave out one of the "
        "two flags");
  CHECK(refusal({"--reader=estimate"}) ==
        "--reader=estimate: expected lockstep, estimator, contrib or resolver (did you mean 'estimator'?)");
  CHECK(refusal({kBase, "--format=hostfile"}).starts_with("--format=hostfile: --hparams_base has the one format json"));
  CHECK(refusal({kBase, "--format=yaml"}).starts_with("--format=yaml: expected json, hostfile, rankfile, "));
  CHECK(refusal({kBase, "--hparam=a=1"}) ==
        "unknown flag --hparam (did you mean --hparams?); lockstep cluster --help lists the flags");
  CHECK(translate(Args{"--help"}).starts_with("lockstep cluster: "));
  CHECK(translate(Args{"--help=true"}).starts_with("lockstep cluster: "));
}

TEST_CASE("translate: a flag that train has as well says what train's help says") {
  for (const char* name : lockstep::kClusterFlags) {
    const lockstep::Flag* const flag = lockstep::find_flag(lockstep::translate_flags(), name);
    REQUIRE(flag != nullptr);
    CHECK(flag->help == lockstep::train_setting(name).help);
    CHECK(flag->placeholder == lockstep::train_setting(name).placeholder);
  }
  CHECK(refusal({"--worker_replicas=0", "--tf_config={}", "--explain"}).starts_with("--worker_replicas=0: "));
}
