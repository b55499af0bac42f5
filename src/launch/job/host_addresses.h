#pragma once

#include <string>
#include <vector>

namespace lockstep {

// What others may call this host: its name as gethostname(2) says it, then the numeric addresses of its interfaces but
// loopback and link-local ones. No name server is asked, which might be waited for; short and full names are matched by
// launch/cluster/host_names.h. Any thread.
std::vector<std::string> host_addresses();

}  // namespace lockstep
