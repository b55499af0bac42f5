#include "launch/flags/collective_name.h"

#include "base/python_name.h"

namespace lockstep {
namespace {

constexpr CollectiveAlias kCollectiveAliases[] = {{"CollectiveCommunication.AUTO", "auto"},
                                                  {"CollectiveCommunication.RING", "ring"},
                                                  {"CollectiveCommunication.NCCL", "nccl"},
                                                  {"NcclAllReduce", "nccl"},
                                                  {"HierarchicalCopyAllReduce", "hierarchical"}};

std::string plain_collective(std::string_view name) {
  constexpr std::string_view kBehind = "allreduce";
  std::string letters = letters_of_python_name(name);
  if (letters.ends_with(kBehind)) letters.resize(letters.size() - kBehind.size());
  return letters;
}

}  // namespace

std::span<const CollectiveAlias> collective_aliases() { return kCollectiveAliases; }

std::string collective_called(const std::string& text, const Registry& registry) {
  if (registry.communicators.has(text)) return text;
  for (const CollectiveAlias& alias : kCollectiveAliases) {
    if (plain_collective(alias.name) == plain_collective(text)) return std::string(alias.own);
  }
  return text;
}

}  // namespace lockstep
