#include "launch/start/windows_to_start.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>

#include "launch/start/served_windows.h"
#include "train/registry/registry.h"

namespace lockstep {
namespace {

using Flags = std::map<std::string, std::string>;

constexpr const char* kServers = R"({"chief": ["a:1"], "worker": ["b:1"], "ps": ["c:1"]})";
constexpr const char* kMaster = R"({"master": ["a:1"], "ps": ["c:1"]})";
constexpr const char* kWorkers = R"({"worker": ["a:1", "b:1"]})";

Windows windows(Flags flags, const std::string& cluster, bool all_on_this_host, const std::string& config = "") {
  if (!config.empty()) flags["config"] = "c.json";
  const ProcessStatement own{.given = {.flags = std::move(flags), .config = config}};
  return windows_to_start(own, cluster, all_on_this_host, builtin_registry().strategies);
}

TEST_CASE("MPI is started for windows where a process knows of parameter servers on its host") {
  for (const Flags& flags : {Flags{{"ps_replicas", "1"}}, Flags{{"ps_ranks", "2"}},
                             Flags{{"strategy", "parameter_server"}}, Flags{{"strategy", "ParameterServerStrategy"}}}) {
    CHECK(windows(flags, "", true) == Windows::one_host);
    CHECK(windows(flags, "", false) == Windows::none);
    Flags asked = flags;
    asked["ps_transport"] = "rma";
    CHECK(windows(asked, "", true) == Windows::one_host);
    CHECK(windows(asked, "", false) == Windows::any_hosts);
    Flags adds = flags;
    adds["ps_apply"] = "accumulate";
    CHECK(windows(adds, "", false) == Windows::any_hosts);
    asked["ps_transport"] = "p2p";
    CHECK(windows(asked, "", true) == Windows::none);
  }
  CHECK(windows({}, "", true) == Windows::none);
  CHECK(windows({{"strategy", "sync"}}, "", true) == Windows::none);
  CHECK(windows({{"ps_replicas", "0"}}, "", true) == Windows::none);
  CHECK(windows({{"ps_replicas", "2"}, {"sync", "true"}}, "", true) == Windows::none);
  CHECK(windows({{"ps_transport", "rma"}}, "", true) == Windows::one_host);
}

TEST_CASE("the cluster, the schedule and a file of flags count for windows") {
  CHECK(windows({}, kServers, true) == Windows::one_host);
  CHECK(windows({}, kServers, false) == Windows::none);
  CHECK(windows({{"ps_transport", "rma"}}, kServers, false) == Windows::any_hosts);
  CHECK(windows({{"ps_apply", "accumulate"}}, kServers, false) == Windows::any_hosts);
  CHECK(windows({}, kMaster, true) == Windows::none);  // its ps task computes
  CHECK(windows({{"sync", "false"}}, kMaster, true) == Windows::one_host);
  CHECK(windows({}, kWorkers, true) == Windows::none);

  CHECK(windows({{"ps_replicas", "1"}, {"schedule", "evaluate"}}, "", true) == Windows::none);
  CHECK(windows({{"ps_replicas", "1"}, {"schedule", "run_std_server"}}, "", true) == Windows::one_host);
  CHECK(windows({}, "", true, R"({"strategy": "parameter_server"})") == Windows::one_host);
  CHECK(windows({{"ps_replicas", "1"}}, "", true, R"({"ps_transport": "p2p"})") == Windows::none);
}

TEST_CASE("a job that outlives ranks has no windows, by flags or a file of flags") {
  const auto outlives = [](Flags flags, const std::string& config = "") {
    if (!config.empty()) flags["config"] = "c.json";
    return outlives_ranks({.given = {.flags = std::move(flags), .config = config}});
  };
  const Flags servers{{"ps_replicas", "1"}, {"on_worker_loss", "continue"}};
  CHECK(outlives(servers));
  CHECK(windows(servers, "", true) == Windows::none);
  CHECK(outlives({{"ps_replicas", "1"}}, R"({"on_worker_loss": "continue"})"));
  CHECK_FALSE(outlives({{"ps_replicas", "1"}}));
  CHECK_FALSE(outlives({{"on_worker_loss", "stop"}}));
  CHECK_FALSE(outlives({{"on_worker_loss", "continue"}, {"schedule", "evaluate"}}));
  CHECK_FALSE(outlives({{"on_worker_loss", "continue"}}, "{"));
}

TEST_CASE("what is wrong with flags or cluster is left to those who report it") {
  CHECK(windows({{"ps_replicas", "1"}}, "", true, "{") == Windows::none);
  CHECK(windows({}, R"({"ps": ["a:1"]})", true) == Windows::none);  // nobody to be the chief
}

TEST_CASE("windows are taken for known with Open MPI and Lockstep's choice of its component") {
  CHECK(doubt_of_windows(4, true).empty());
  CHECK(doubt_of_windows(5, true).empty());
  CHECK(doubt_of_windows(4, false) == "MPI's one-sided component (osc) was chosen by the environment or a file");
  CHECK(doubt_of_windows(3, true) == "windows have not been tried with this MPI");
  CHECK(doubt_of_windows({}, true) == "windows have not been tried with this MPI");
}

}  // namespace
}  // namespace lockstep
