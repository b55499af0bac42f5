#include "launch/cluster/host_names.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

namespace lockstep {

TEST_CASE("host names: the host of an address") {
  CHECK(host_in("h1:2222") == "h1");
  CHECK(host_in("h1") == "h1");
  CHECK(host_in("h1:port") == "h1");
  CHECK(host_in("grpc://H1.Example.ORG.:2222") == "h1.example.org");
  CHECK(host_in("10.0.0.1:2222") == "10.0.0.1");
  CHECK(host_in("[::1]:2222") == "::1");
  CHECK(host_in("[2001:DB8:0:0::1%eth0]:2222") == "2001:db8::1");
  CHECK(host_in("2001:db8:0:0:0:0:0:1") == "2001:db8::1");
  CHECK(host_in("::ffff:10.0.0.1") == "10.0.0.1");
  CHECK(host_in("[h1") == "h1");
  CHECK(host_in(":2222") == "");
  CHECK(host_in("") == "");
}

TEST_CASE("host names: loopback") {
  for (const char* host : {"localhost", "localhost.localdomain", "127.0.0.1", "127.1.2.3", "::1"}) {
    CHECK(is_loopback(host));
  }
  for (const char* host : {"", "h1", "localhosts", "10.0.0.1", "::2", "127.example.org"})
    CHECK_FALSE(is_loopback(host));
}

TEST_CASE("host names: short, full and numeric names of one host") {
  HostDirectory hosts;
  hosts.add(1, std::vector<std::string>{"h1", "10.0.0.1", "2001:db8::1", "127.0.0.1"});
  hosts.add(2, std::vector<std::string>{"h2.example.org", "10.0.0.2", "localhost"});
  hosts.add(3, std::vector<std::string>{"h3.example.org"});
  hosts.add(4, std::vector<std::string>{"h3.other.org"});
  const auto find = [&](const char* address) {
    const auto found = hosts.find(address);
    return std::set<int>(found.begin(), found.end());
  };
  CHECK(find("h1:2222") == std::set{1});
  CHECK(find("H1.example.org:2222") == std::set{1});  // the host only gives its short name
  CHECK(find("10.0.0.1:2222") == std::set{1});
  CHECK(find("[2001:db8:0::1]:2222") == std::set{1});
  CHECK(find("h2") == std::set{2});
  CHECK(find("h2.example.org.") == std::set{2});
  CHECK(find("h2.other.org").empty());
  CHECK(find("h3.other.org:1") == std::set{4});
  CHECK(find("h3:1") == std::set{3, 4});
  CHECK(find("h4:1").empty());
  CHECK(find("10.0.0.3:1").empty());
  CHECK(find("10").empty());  // not a short form of 10.0.0.1
  CHECK(find("localhost:1").empty());
  CHECK(find("127.0.0.1:1").empty());
  CHECK(find("").empty());
}

}  // namespace lockstep
