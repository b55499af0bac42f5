#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The two lists that Slurm writes into its variables: which hosts, and how many tasks on each. Both are in the order of
// the nodes, which is that of the ranks. Pure.
//
//   hostlist  = [ item { "," item } [ "," ] ]
//   item      = name [ "[" range { "," range } "]" ]      a name has no comma and no bracket; it may be missing
//                                                         before a bracket
//   range     = digits [ "-" digits ]                     the left number's width is kept: 08-11 is 08 09 10 11
//   tasks     = number [ "(x" nodes ")" ] { "," ... }
//
// That is TensorFlow's SlurmClusterResolver, with the zeros that its newer text keeps: a host may stand in a list
// twice, and a range that descends is empty. What Slurm reads but never writes, a second group of brackets or text
// after the first, is refused: `scontrol show hostnames` expands it.
//
// What is not of this form is an Error(usage) of every rank that names the list, the place and what is expected there.
namespace lockstep {

// More than any cluster has: a longer list is refused before it takes the memory.
inline constexpr std::size_t kMaxSlurmNodes = std::size_t{1} << 18U;

// "n[08-10],login" is n08, n09, n10, login; "" is no host.
std::vector<std::string> expand_hostlist(std::string_view hostlist);

// "2(x3),1" is 2, 2, 2, 1.
std::vector<int> expand_tasks_per_node(std::string_view tasks_per_node);

// The tasks on node number `node` (from 0); nothing if the list is not of the form or has no such node.
std::optional<int> tasks_on_node(std::string_view tasks_per_node, int node);

}  // namespace lockstep
