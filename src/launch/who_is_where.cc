#include "launch/who_is_where.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace lockstep {
namespace {

constexpr std::size_t kMostLines = 16;

struct Wire {  // what travels: text of fixed size, cut if it is longer
  std::array<char, 64> host{};
  std::array<char, 16> device{};
  std::array<char, 48> cores{};
};

template <std::size_t N>
void put(const std::string& text, std::array<char, N>& field) {
  std::copy_n(text.data(), std::min(text.size(), N - 1), field.data());
}

}  // namespace

std::vector<RankPlace> gather_places(Communicator& world, const RankPlace& mine) {
  Wire wire;
  put(mine.host, wire.host);
  put(mine.device, wire.device);
  put(mine.cores, wire.cores);
  std::vector<RankPlace> places;
  for (const Wire& one : all_gather_value(world, wire)) {
    places.push_back({one.host.data(), one.device.data(), one.cores.data()});
  }
  return places;
}

std::vector<std::string> describe_places(std::span<const RankPlace> places) {
  std::vector<std::string> lines;
  if (places.size() <= kMostLines) {
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      const RankPlace& place = places[rank];
      lines.push_back(fmt::format("rank {}{}  {}  {}  cores {}", rank, rank == 0 ? " (chief)" : "", place.host,
                                  place.device, place.cores));
    }
    return lines;
  }
  std::size_t first = 0;  // of a run of ranks on one host with one kind of device
  for (std::size_t rank = 1; rank <= places.size(); ++rank) {
    const bool goes_on = rank < places.size() && places[rank].host == places[first].host;
    if (goes_on) continue;
    const std::string ranks =
        rank - 1 == first ? fmt::format("rank {}", first) : fmt::format("ranks {}-{}", first, rank - 1);
    lines.push_back(fmt::format("{}  {}  {}", ranks, places[first].host, places[first].device));
    first = rank;
  }
  return lines;
}

}  // namespace lockstep
