#pragma once

#include <string>
#include <vector>

namespace lockstep {

// The names by which others may know this host: its name from gethostname(2), then the numeric addresses of its
// interfaces except loopback and IPv6 link-local ones. No name server is asked, since we might have to wait for it;
// short and full names are matched by launch/cluster/host_names.h. Any thread.
std::vector<std::string> host_addresses();

}  // namespace lockstep
