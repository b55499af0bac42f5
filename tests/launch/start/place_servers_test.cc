#include "launch/start/place_servers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/check_error.h"

namespace lockstep {
namespace {

using Numbers = std::vector<int>;

// A process on each of these hosts, a letter for each: "aab".
std::vector<ProcessFacts> on_hosts(const std::string& hosts) {
  std::vector<ProcessFacts> facts;
  for (const char host : hosts) facts.push_back({.host = std::string(1, host)});
  return facts;
}

Numbers chosen(const std::string& hosts, std::int64_t count) { return choose_servers(on_hosts(hosts), count); }

TEST_CASE("parameter servers on one host are its last processes, the last one first") {
  CHECK(chosen("aaaa", 0).empty());
  CHECK(chosen("aaaa", 1) == Numbers{3});
  CHECK(chosen("aaaa", 2) == Numbers{3, 2});
  CHECK(chosen("aaaa", 3) == Numbers{3, 2, 1});
  CHECK(chosen("a", 0).empty());
}

TEST_CASE("parameter servers go round the hosts, from the last process of each backwards") {
  CHECK(chosen("aaabbbccc", 2) == Numbers{2, 5});
  CHECK(chosen("aaabbbccc", 5) == Numbers{2, 5, 8, 1, 4});
  CHECK(chosen("abcabcabc", 4) == Numbers{6, 7, 8, 3});  // mpirun --map-by node
  CHECK(chosen("bbaa", 1) == Numbers{1});                // the first process's host comes first
}

TEST_CASE("the chief is no parameter server, whatever its host has besides") {
  CHECK(chosen("abbb", 1) == Numbers{3});
  CHECK(chosen("abbb", 3) == Numbers{3, 2, 1});
  CHECK(chosen("abc", 2) == Numbers{1, 2});
  CHECK(chosen("aab", 2) == Numbers{1, 2});
}

TEST_CASE("of any hosts, each number of parameter servers is a part of the next larger one") {
  for (const char* hosts : {"aaaa", "abab", "aabbbc", "abcde", "aabbbbbbbc"}) {
    CAPTURE(hosts);
    const int most = static_cast<int>(std::string(hosts).size()) - 1;
    const Numbers all = chosen(hosts, most);
    CHECK(std::ranges::count(all, 0) == 0);
    for (int count = 0; count <= most; ++count) {
      CHECK(chosen(hosts, count) == Numbers(all.begin(), all.begin() + count));
    }
  }
}

TEST_CASE("the plan with parameter servers: chief, workers, servers") {
  const std::vector<RankPlan> plan = plan_with_servers(6, Numbers{2, 5, 1});
  REQUIRE_NOTHROW(check_plan(plan, 6));
  const std::vector<int> keys{0, 5, 3, 1, 2, 4};
  const std::vector<int> indices{0, 2, 0, 0, 1, 1};
  for (std::size_t process = 0; process < 6; ++process) {
    CAPTURE(process);
    const bool serves = process == 1 || process == 2 || process == 5;
    CHECK(plan[process].role == (process == 0 ? Role::chief : serves ? Role::parameter_server : Role::worker));
    CHECK(plan[process].key == keys[process]);
    CHECK(plan[process].index == indices[process]);
    CHECK(plan[process].color == 0);
    CHECK(plan[process].has_shares == !serves);
  }
  CHECK_NOTHROW(check_plan(plan_with_servers(2, Numbers{1}), 2));
}

TEST_CASE("parameter servers by a list of the launcher's numbers") {
  CHECK(listed_servers("3", 4) == Numbers{3});
  CHECK(listed_servers("7,3", 8) == Numbers{7, 3});
  CHECK(listed_servers("2-3,7", 8) == Numbers{2, 3, 7});
  CHECK(listed_servers("1-1", 2) == Numbers{1});
}

TEST_CASE("a list of parameter servers that cannot be is refused") {
  const auto refused = [](ExitCode code, const std::string& list, const std::string& why) {
    CAPTURE(list);
    check_error(code, {"--ps_ranks=" + list + ": " + why}, [&] { listed_servers(list, 8); });
  };
  for (const char* list : {"a", "", "3,", ",3", "3-", "-3", "3-2", "3 7", "3-5-7", "+3", "99999999999"}) {
    refused(ExitCode::usage, list, "expected the numbers that the launcher gives the ranks, as in --ps_ranks=3,7 or");
  }
  refused(ExitCode::usage, "3,3", "rank 3 is there twice");
  refused(ExitCode::usage, "5,2-6", "rank 5 is there twice");
  refused(ExitCode::usage, "0", "rank 0 is the chief, which trains; take it out");
  refused(ExitCode::usage, "0-3", "rank 0 is the chief");
  refused(ExitCode::configuration, "8", "there is no rank 8 in a job of 8 ranks");
  refused(ExitCode::configuration, "1-2000000000", "there is no rank 2000000000 in a job of 8 ranks");
  refused(ExitCode::configuration, "7,9",
          "there is no rank 9 in a job of 8 ranks, which count from 0; choose among "
          "these, or start more: mpirun -np 10 train");
}

}  // namespace
}  // namespace lockstep
