#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The two lists that Slurm writes into its variables: the hosts, and the number of tasks on each. Both are in node
// order, which is rank order. Pure.
//
//   hostlist  = [ item { "," item } [ "," ] ]
//   item      = name [ "[" range { "," range } "]" ]      a name has no comma and no bracket; it may be missing
//                                                         before a bracket
//   range     = digits [ "-" digits ]                     the left number's width is kept: 08-11 is 08 09 10 11
//   tasks     = number [ "(x" nodes ")" ] { "," ... }
//
// The grammar is that of TensorFlow's SlurmClusterResolver, whose later versions keep the zeros: a host may stand in a
// list twice, and a range that descends is empty. Text that Slurm reads but never writes, a second group of brackets or
// text after the first, is refused: `scontrol show hostnames` expands it.
//
// Text of any other form is an Error(usage) of every rank that names the list, the place and what is expected there.
namespace lockstep {

// More nodes than any cluster has: a longer list is refused before it takes the memory.
inline constexpr std::size_t kMaxSlurmNodes = std::size_t{1} << 18U;

// The hosts of a list: "n[08-10],login" is n08, n09, n10, login; "" is no host.
std::vector<std::string> expand_hostlist(std::string_view hostlist);

// The number of tasks on each node: "2(x3),1" is 2, 2, 2, 1.
std::vector<int> expand_tasks_per_node(std::string_view tasks_per_node);

// The tasks on node number `node` (from 0); nothing if the list is malformed or has no such node.
std::optional<int> tasks_on_node(std::string_view tasks_per_node, int node);

}  // namespace lockstep
