#include "collective/nccl/nccl_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "collective/nccl/nccl_version.h"

namespace lockstep {

std::string why_not_nccl(std::span<const GpuPlace> places) {
  const auto on_cpu = std::ranges::find(places, std::string(), &GpuPlace::gpu);
  if (on_cpu != places.end()) {
    const bool all = std::ranges::all_of(places, &std::string::empty, &GpuPlace::gpu);
    return all ? "the ranks compute on CPUs" : fmt::format("rank {} computes on the CPU", on_cpu - places.begin());
  }
  const auto without = std::ranges::find(places, 0, &GpuPlace::nccl);
  if (without != places.end()) {
    const bool all = std::ranges::all_of(
        places, [](int version) { return version == 0; }, &GpuPlace::nccl);
    return all ? "this build has no NCCL" : fmt::format("the build of rank {} has no NCCL", without - places.begin());
  }
  const auto other = std::ranges::find_if(places, [&](const GpuPlace& place) { return place.nccl != places[0].nccl; });
  if (other != places.end()) {
    return fmt::format("rank 0 has NCCL {}, and rank {} has NCCL {}", nccl_version_text(places[0].nccl),
                       other - places.begin(), nccl_version_text(other->nccl));
  }
  std::map<std::pair<std::string, std::string>, std::size_t> taken;  // the rank that has it
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const GpuPlace& place = places[rank];
    const auto [before, alone] = taken.try_emplace({place.host, place.gpu}, rank);
    if (alone) continue;
    return fmt::format("ranks {} and {} share the GPU {}{}", before->second, rank, place.gpu,
                       place.host.empty() ? "" : " of " + place.host);
  }
  return "";
}

}  // namespace lockstep
