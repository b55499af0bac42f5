#include "launch/job/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace lockstep {
namespace {

constexpr std::size_t kMaxPlacementLines = 16;

struct Wire {  // what travels: text of fixed size, cut if it is longer
  Role role{};
  bool has_shares = true;
  std::array<char, 64> host{};
  std::array<char, 16> device{};
  std::array<char, 48> cores{};
};

template <std::size_t N>
void put(const std::string& text, std::array<char, N>& field) {
  std::copy_n(text.data(), std::min(text.size(), N - 1), field.data());
}

std::string role_text(const RankPlacement& place) {
  const bool trains = place.role == Role::chief || place.role == Role::worker;
  return fmt::format("{}{}", name(place.role), trains && !place.has_shares ? " without data" : "");
}

}  // namespace

std::vector<RankPlacement> gather_placements(Communicator& world, const RankPlacement& mine) {
  Wire wire{.role = mine.role, .has_shares = mine.has_shares};
  put(mine.host, wire.host);
  put(mine.device, wire.device);
  put(mine.cores, wire.cores);
  std::vector<RankPlacement> places;
  for (const Wire& one : all_gather_value(world, wire)) {
    places.push_back({one.role, one.has_shares, one.host.data(), one.device.data(), one.cores.data()});
  }
  return places;
}

std::vector<std::string> describe_placements(std::span<const RankPlacement> places) {
  std::vector<std::string> lines;
  if (places.size() <= kMaxPlacementLines) {
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      const RankPlacement& place = places[rank];
      lines.push_back(
          fmt::format("rank {}  {}  {}  {}  cores {}", rank, role_text(place), place.host, place.device, place.cores));
    }
    return lines;
  }
  std::size_t first = 0;  // of a run of ranks of one role on one host
  for (std::size_t rank = 1; rank <= places.size(); ++rank) {
    const bool goes_on = rank < places.size() && places[rank].host == places[first].host &&
                         role_text(places[rank]) == role_text(places[first]);
    if (goes_on) continue;
    const std::string ranks =
        rank - 1 == first ? fmt::format("rank {}", first) : fmt::format("ranks {}-{}", first, rank - 1);
    lines.push_back(
        fmt::format("{}  {}  {}  {}", ranks, role_text(places[first]), places[first].host, places[first].device));
    first = rank;
  }
  return lines;
}

}  // namespace lockstep
