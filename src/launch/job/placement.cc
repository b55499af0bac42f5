#include "launch/job/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>

#include "base/counted.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxPlacementLines = 16;

struct PlacementWire {  // the message: text of fixed size, cut if it is longer
  Role role{};
  bool has_shares = true;
  std::int32_t host_cores = 0;
  std::array<char, 64> host{};
  std::array<char, 16> device{};
  std::array<char, 64> device_name{};
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

// The device of a rank: "cuda:0 (NVIDIA H100 80GB HBM3)".
std::string device_text(const RankPlacement& place) {
  return place.device_name.empty() ? place.device : fmt::format("{} ({})", place.device, place.device_name);
}

// The devices of ranks on one host, each once, in the order of the ranks: "cuda:0 cuda:1 (NVIDIA H100 80GB HBM3)".
std::string devices_text(std::span<const RankPlacement> places) {
  std::string text;
  std::vector<std::string> devices;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const RankPlacement& place = places[i];
    if (std::ranges::find(devices, place.device) == devices.end()) {
      text += (devices.empty() ? "" : " ") + place.device;
      devices.push_back(place.device);
    }
    const bool last = i + 1 == places.size() || places[i + 1].device_name != place.device_name;
    if (last && !place.device_name.empty()) text += fmt::format(" ({})", place.device_name);
  }
  return text;
}

}  // namespace

std::vector<RankPlacement> gather_placements(Communicator& world, const RankPlacement& mine) {
  PlacementWire wire{.role = mine.role, .has_shares = mine.has_shares, .host_cores = mine.host_cores};
  put(mine.host, wire.host);
  put(mine.device, wire.device);
  put(mine.device_name, wire.device_name);
  put(mine.cores, wire.cores);
  std::vector<RankPlacement> places;
  for (const PlacementWire& one : all_gather_value(world, wire)) {
    places.push_back({.role = one.role,
                      .has_shares = one.has_shares,
                      .host = one.host.data(),
                      .device = one.device.data(),
                      .cores = one.cores.data(),
                      .host_cores = one.host_cores,
                      .device_name = one.device_name.data()});
  }
  return places;
}

std::vector<std::string> describe_placements(std::span<const RankPlacement> places) {
  std::vector<std::string> lines;
  if (places.size() <= kMaxPlacementLines) {
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      const RankPlacement& place = places[rank];
      lines.push_back(fmt::format("rank {}  {}  {}  {}  cores {}", rank, role_text(place), place.host,
                                  device_text(place), place.cores));
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
    lines.push_back(fmt::format("{}  {}  {}  {}", ranks, role_text(places[first]), places[first].host,
                                devices_text(places.subspan(first, rank - first))));
    first = rank;
  }
  return lines;
}

std::string describe_crowded_hosts(std::span<const RankPlacement> places) {
  constexpr std::size_t kMostNamed = 3;
  struct Host {
    std::string name;
    int ranks = 0;
    int cores = 0;
  };
  std::map<std::string, Host> by_name;
  for (const RankPlacement& place : places) {
    if (place.role == Role::parameter_server) continue;  // it sleeps while nothing comes
    Host& host = by_name.try_emplace(place.host, Host{.name = place.host}).first->second;
    ++host.ranks;
    host.cores = std::max(host.cores, place.host_cores);
  }
  std::vector<Host> crowded;
  for (const auto& [name, host] : by_name) {
    if (host.cores > 0 && host.ranks > host.cores) crowded.push_back(host);
  }
  if (crowded.empty()) return "";
  std::ranges::stable_sort(crowded, std::ranges::greater(),
                           [](const Host& host) { return static_cast<double>(host.ranks) / host.cores; });
  std::string text;
  for (std::size_t i = 0; i < std::min(crowded.size(), kMostNamed); ++i) {
    text += fmt::format("{}{} ranks share {} of {}", i == 0 ? "" : ", ", crowded[i].ranks,
                        counted(crowded[i].cores, "core"), crowded[i].name);
  }
  if (crowded.size() > kMostNamed) text += fmt::format(", and {} more hosts are as full", crowded.size() - kMostNamed);
  if (std::ranges::find(places, Role::parameter_server, &RankPlacement::role) != places.end()) {
    return text +
           ": they take turns, so gradients get older, and none is computed faster than with one rank for each core; "
           "start fewer ranks that train";
  }
  return text +
         ": each step waits for the rank that gets a core last, which is slower than one rank for each core; start "
         "fewer ranks, and give --global_batch_size to keep the batch";
}

}  // namespace lockstep
