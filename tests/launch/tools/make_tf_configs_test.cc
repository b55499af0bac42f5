#include "launch/tools/make_tf_configs.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace lockstep {
namespace {

struct Said {
  ExitCode code = ExitCode::done;
  std::string printed{};
  std::string warned{};
  std::string refused{};
};

Said make(const std::vector<std::string>& args) {
  Said said;
  try {
    make_tf_configs(
        args, [&said](std::string_view text) { said.printed += text; },
        [&said](std::string_view text) { said.warned += text; });
  } catch (const Error& error) {
    said.code = error.code();
    said.refused = error.what();
  }
  return said;
}

}  // namespace

TEST_CASE("make-tf-configs: one master is sync, and the parameter servers compute") {
  const Said said = make({"--masters=a:1", "--ps=b:2"});
  CHECK(said.printed ==
        "Assuming SYNC distributed training with a single master and 1 workers\n"
        "'{\"cluster\": {\"ps\": [\"b:2\"], \"master\": [\"a:1\"]}, \"task\": {\"type\": \"master\", \"index\": 0}, "
        "\"environment\": \"cloud\"}'\t--master=grpc://a:1 --ps_replicas=1 --worker_replicas=1 --worker_gpu=0 "
        "--worker_id=0 --ps_gpu=1 --sync --schedule=train --worker_job='/job:master'\n"
        "'{\"cluster\": {\"ps\": [\"b:2\"], \"master\": [\"a:1\"]}, \"task\": {\"type\": \"ps\", \"index\": 0}, "
        "\"environment\": \"cloud\"}'\t--schedule=run_std_server\n");
  CHECK(said.warned.empty());
  CHECK(make({"--strict", "--masters=a:1", "--ps=b:2"}).printed == said.printed);
}

TEST_CASE("make-tf-configs: the second of several masters is worker 0 with worker_id 1, after two blanks") {
  const std::string printed = make({"--masters", "a:1,b:1", "--ps", "c:1"}).printed;
  CHECK(printed.find("{\"type\": \"worker\", \"index\": 0}, \"environment\": \"cloud\"}'\t--master=grpc://b:1 "
                     "--ps_replicas=1 --worker_replicas=2 --worker_gpu=1 --worker_id=1 --ps_gpu=0  --schedule=train "
                     "--worker_job='/job:worker'\n") != std::string::npos);
}

TEST_CASE("make-tf-configs: JSON is ASCII, the flags are as given") {
  const std::string printed = make({"--masters=\xc3\xa9\xf0\x9f\x98\x80\x7f:1", "--ps=\"b\\:2"}).printed;
  CHECK(printed.find(R"("master": ["\u00e9\ud83d\ude00\u007f:1"])") != std::string::npos);
  CHECK(printed.find(R"("ps": ["\"b\\:2"])") != std::string::npos);
  CHECK(printed.find("--master=grpc://\xc3\xa9\xf0\x9f\x98\x80\x7f:1 ") != std::string::npos);
  CHECK(make({"--masters=\xff", "--ps=b:2"}).code == ExitCode::usage);
}

TEST_CASE("make-tf-configs: both lists are needed") {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{}, {"--masters=a:1"}, {"--ps=a:1"}, {"--masters=", "--ps=b:2"}}) {
    const Said said = make(args);
    CHECK(said.code == ExitCode::usage);
    CHECK(said.refused == "Must provide --masters and --ps");
    CHECK(said.printed.empty());
  }
  CHECK(make({"--masters=a:1", "--ps=b:2", "--sync"}).code == ExitCode::usage);  // t2t-make-tf-configs has no such flag
  CHECK(make({"--help"}).printed.starts_with("lockstep make-tf-configs: "));
}

TEST_CASE("make-tf-configs: what will not work is a warning, and with --strict an error") {
  const struct {
    const char* masters;
    const char* ps;
    const char* fault;
  } kFaults[] = {
      {"a:1", "b:2,", "--ps, address 2: '' is empty; is there a comma too many?"},
      {"a:1, c:1", "b:2", "--masters, address 2: ' c:1' has a blank in it"},
      {"\x1b[31m:1", "b:2", "--masters, address 1: '\\x1b[31m:1' has a control character in it"},
      {"a'b:1", "b:2", "--masters, address 1: 'a'b:1' has a quote in it"},
      {"a", "b:2", "--masters, address 1: 'a' has no port; write HOST:PORT"},
      {"a:1", "[::1]", "--ps, address 1: '[::1]' has no port; write HOST:PORT"},
      {"a:1", "::1", "--ps, address 1: '::1' has several colons; write an IPv6 address in brackets"},
      {"a:1", ":2", "--ps, address 1: ':2' has no host"},
      {"a:port", "b:2", "--masters, address 1: 'a:port' has no port from 1 to 65535"},
      {"a:0", "b:2", "--masters, address 1: 'a:0' has no port from 1 to 65535"},
      {"a:1", "b:65536", "--ps, address 1: 'b:65536' has no port from 1 to 65535"},
      {"a:1,c:1", "b:2,c:1", "--ps, address 2: 'c:1' is also --masters, address 2; each job needs an address"},
  };
  for (const auto& [masters, ps, fault] : kFaults) {
    CAPTURE(fault);
    const std::vector<std::string> args = {std::string("--masters=") + masters, std::string("--ps=") + ps};
    const Said lax = make(args);
    CHECK(lax.code == ExitCode::done);
    CHECK_FALSE(lax.printed.empty());
    CHECK(lax.warned.starts_with(std::string("warning: ") + fault));
    const Said strict = make({args[0], args[1], "--strict"});
    CHECK(strict.code == ExitCode::configuration);
    CHECK(strict.refused.starts_with(fault));
    CHECK(strict.printed.empty());
    CHECK(strict.warned.empty());
  }
  CHECK(make({"--strict", "--masters=[::1]:1,a:65535", "--ps=[::1]:2,a:1"}).code == ExitCode::done);
}

}  // namespace lockstep
