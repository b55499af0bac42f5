#include "base/slurm_lists.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/check_error.h"

namespace lockstep {
namespace {

using Hosts = std::vector<std::string>;
using Tasks = std::vector<int>;

void check_hostlist_refused(const std::string& text, const std::string& why) {
  CAPTURE(text);
  check_error(ExitCode::usage, {"Invalid hostlist format", why}, [&] { expand_hostlist(text); });
}

void check_tasks_refused(const std::string& text, const std::string& why) {
  CAPTURE(text);
  check_error(ExitCode::usage, {"Invalid tasks-per-node list format", why}, [&] { expand_tasks_per_node(text); });
}

}  // namespace

TEST_CASE("hostlists expand in their own order, and hosts stay where they are named twice") {
  CHECK(expand_hostlist("").empty());
  CHECK(expand_hostlist("n1") == Hosts{"n1"});
  CHECK(expand_hostlist("n1,") == Hosts{"n1"});
  CHECK(expand_hostlist("n[1-3,5],m[01-02]") == Hosts{"n1", "n2", "n3", "n5", "m01", "m02"});
  CHECK(expand_hostlist("n[9-11],a,n9") == Hosts{"n9", "n10", "n11", "a", "n9"});
  CHECK(expand_hostlist("rack-1.n[2]") == Hosts{"rack-1.n2"});
  CHECK(expand_hostlist("[7-8]") == Hosts{"7", "8"});
}

TEST_CASE("zeros before the left number of a range are kept") {
  CHECK(expand_hostlist("n[008-011]") == Hosts{"n008", "n009", "n010", "n011"});
  CHECK(expand_hostlist("n[8-011]") == Hosts{"n8", "n9", "n10", "n11"});
  CHECK(expand_hostlist("n[099-101,007]") == Hosts{"n099", "n100", "n101", "n007"});
  CHECK(expand_hostlist("n[00000000000000000000000000017]") == Hosts{"n00000000000000000000000000017"});
}

TEST_CASE("a range that descends is empty") {
  CHECK(expand_hostlist("n[3-1]").empty());
  CHECK(expand_hostlist("n[3-1],m[2-2]") == Hosts{"m2"});
}

TEST_CASE("what is no hostlist is refused with the place and what is expected") {
  for (const char* broken : {"n[1", "n1]", "n[]", "[]", "n[1-2-3]", "n[a-b]", "n[1-]", "n[-1]", "n[1,]", "n[,1]",
                             "n[1 ]", "n[+1]", "n[[1]]", "n[1]x", "r[1-2]n[1-2]", "n[1][2]", ",", ",n1", "n1,,n2"}) {
    check_hostlist_refused(broken, "\"" + std::string(broken) + "\": at ");
  }
  check_hostlist_refused("n[1", "\"n[1\": at the end: expected '-', ',' or ']'");
  check_hostlist_refused(",n1", "\",n1\": at character 1: expected the name of a host");
  check_hostlist_refused("\x1b[2]x", "\"\\x1b[2]x\": at character 5: ");
}

TEST_CASE("a list that no cluster has is refused, not expanded") {
  for (const char* large :
       {"n[1-1000000000]", "n[0-9223372036854775807]", "n[1-262144],m", "n[1-200000],m[1-200000]"}) {
    check_hostlist_refused(large, "it stands for more than 262144 nodes");
  }
  CHECK(expand_hostlist("n[1-262144]").size() == kMaxSlurmNodes);
  check_hostlist_refused("n[1-99999999999999999999]", "a smaller number");
  CHECK(expand_hostlist("n[9223372036854775806-9223372036854775807]") ==
        Hosts{"n9223372036854775806", "n9223372036854775807"});
  check_hostlist_refused(std::string(256, 'n'), "at most 255 bytes");
  check_hostlist_refused("[" + std::string(100000, '0') + "1-2]", "at most 255 bytes");
  for (const char* large : {"1(x1000000000)", "1(x262144),1", "2(x18446744073709551615),2"}) {
    check_tasks_refused(large, "it stands for more than 262144 nodes");
  }
}

TEST_CASE("tasks per node expand in the order of the nodes") {
  CHECK(expand_tasks_per_node("2") == Tasks{2});
  CHECK(expand_tasks_per_node("3(x2),2,01") == Tasks{3, 3, 2, 1});
  CHECK(expand_tasks_per_node("0").size() == 1);
  CHECK(expand_tasks_per_node("2(x0)").empty());
  for (const char* broken : {"", ",", "2,", ",2", "x", "-1", "+1", "2, 1", "2 ", "2(x", "2(x)", "2(x-1)", "2(x3",
                             "2(x3)(x2)", "2(3)", "2x3", "2;3", "1.5", "99999999999"}) {
    check_tasks_refused(broken, "\"" + std::string(broken) + "\": at ");
  }
}

TEST_CASE("the tasks of one node, from the same list") {
  CHECK(tasks_on_node("4", 0) == 4);
  CHECK(tasks_on_node("2(x3),1", 0) == 2);
  CHECK(tasks_on_node("2(x3),1", 2) == 2);
  CHECK(tasks_on_node("2(x3),1", 3) == 1);
  CHECK(tasks_on_node("3,2(x2),16", 3) == 16);
  CHECK_FALSE(tasks_on_node("2(x3),1", 4).has_value());
  CHECK_FALSE(tasks_on_node("2", -1).has_value());
  for (const char* broken : {"", "x", "2(x", "2(xa)", "2(x0", ",2", "2;3", "2,2;"}) {
    CAPTURE(broken);
    CHECK_FALSE(tasks_on_node(broken, 1).has_value());
  }
}

}  // namespace lockstep
