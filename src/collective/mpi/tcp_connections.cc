#include "collective/mpi/tcp_connections.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>

#include "base/interface_addresses.h"
#include "base/system_file.h"

namespace lockstep {
namespace {

constexpr std::string_view kMapped{"\0\0\0\0\0\0\0\0\0\0\xff\xff", 12};  // before an address of IPv4 in one of IPv6

// The kernel prints an address as words of 32 bits in its own byte order, eight digits each: "0100007F".
std::string parse_address(std::string_view digits) {
  std::string address;
  for (; digits.size() >= 8; digits.remove_prefix(8)) {
    std::uint32_t word = 0;
    if (std::sscanf(std::string(digits.substr(0, 8)).c_str(), "%8x", &word) != 1) return "";
    address.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  return address.starts_with(kMapped) ? address.substr(kMapped.size()) : address;
}

// Inodes of the sockets that this process has open.
std::set<std::uint64_t> own_sockets() {
  std::set<std::uint64_t> inodes;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    const std::string target = std::filesystem::read_symlink(entry.path(), ignored).string();
    unsigned long long inode = 0;
    if (std::sscanf(target.c_str(), "socket:[%llu]", &inode) == 1) inodes.insert(inode);
  }
  return inodes;
}

}  // namespace

std::vector<TcpConnection> parse_tcp_connections(std::string_view table) {
  std::vector<TcpConnection> connections;
  std::istringstream lines{std::string(table)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, local, remote, state, word;
    if (!(words >> number >> local >> remote >> state) || !number.ends_with(':')) continue;
    for (int skipped = 0; skipped < 5; ++skipped) words >> word;  // queues, timer, retransmits, user, time-out
    TcpConnection connection{.local = parse_address(local.substr(0, local.find(':')))};
    connection.established = state == "01";  // TCP_ESTABLISHED
    if (words >> connection.inode && !connection.local.empty()) connections.push_back(std::move(connection));
  }
  return connections;
}

std::vector<std::string> connected_interfaces() {
  const std::set<std::uint64_t> own = own_sockets();
  std::set<std::string> addresses;
  for (const char* file : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    for (const TcpConnection& connection : parse_tcp_connections(read_system_file(file))) {
      if (connection.established && own.contains(connection.inode)) addresses.insert(connection.local);
    }
  }
  std::vector<std::string> names;
  for (const InterfaceAddress& address : interface_addresses()) {
    if (!addresses.contains(address.bytes)) continue;
    if (std::ranges::find(names, address.interface) == names.end()) names.push_back(address.interface);
  }
  return names;
}

}  // namespace lockstep
