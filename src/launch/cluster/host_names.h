#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// Matching of the names that a cluster gives to hosts with those that the hosts give themselves. Pure: no name server
// is asked.
namespace lockstep {

// The host of an address ("h1:2222", "[::1]:2222", "grpc://h1:2222", "10.0.0.1", "::1") in the form in which hosts are
// compared: lower case, without scheme, port, brackets, zone and last dot; numeric addresses in their shortest form. ""
// if there is none.
std::string host_in(std::string_view address);

// True for "localhost", alone or with a domain, 127.0.0.0/8 and ::1, which mean each reader's own host. host: as
// host_in() returns it.
bool is_loopback(std::string_view host);

// Hosts, each with all the names and numeric addresses it has. A plain value; one thread at a time.
class HostDirectory {
 public:
  HostDirectory() = default;
  explicit HostDirectory(std::size_t names) { names_.reserve(names); }  // about as many names will be added

  // Adds all names of a host at once; loopback names are left out. host: any number.
  void add(int host, std::span<const std::string> names);

  // The hosts that an address may mean: those with exactly this name or numeric address, else those whose full name
  // begins with this short one, or whose short name this full one begins with. Empty: no such host; several: the
  // address cannot tell them apart. Valid until the next add().
  std::span<const int> find(std::string_view address) const;

 private:
  using ByName = std::unordered_map<std::string, std::vector<int>>;
  ByName names_;
  ByName first_labels_;  // "h1" of "h1.example.org"
};

}  // namespace lockstep
