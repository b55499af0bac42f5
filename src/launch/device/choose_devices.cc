#include "launch/device/choose_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "launch/device/share_devices.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ExitCode::configuration, why, Scope::every_rank); }

std::string who(std::span<const DeviceFacts> ranks, std::size_t rank) {
  return fmt::format("rank {} on {}", rank, ranks[rank].host);
}

void check_one_kind(std::span<const DeviceFacts> ranks) {
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
    const DeviceFacts& first = ranks[0];
    const DeviceFacts& other = ranks[rank];
    if (other.request.apart || first.request.kind == other.request.kind) continue;
    const DeviceFacts& on_cpu = first.on_host ? first : other;
    const std::string why = on_cpu.by_itself && !on_cpu.visible.why_none.empty()
                                ? fmt::format(" ({} has no GPU: {})", on_cpu.host, on_cpu.visible.why_none)
                                : "";
    refuse(
        fmt::format("{} is to compute on {}, {} on {}{}: the ranks that train together are all on GPUs or all on "
                    "CPUs; give each of them --device=cpu, or start them where each sees a GPU",
                    who(ranks, 0), first.request.kind, who(ranks, rank), other.request.kind, why));
  }
}

void check_number(std::span<const DeviceFacts> ranks, std::size_t rank, int index, const std::string& asked) {
  const DeviceFacts& facts = ranks[rank];
  const auto count = std::ssize(facts.visible.devices);
  if (index < count) return;
  const std::string& kind = facts.request.kind;
  if (count == 0) {
    const std::string& why = facts.visible.why_none;
    refuse(fmt::format("no device {}: {} sees no GPU{}, or run with --device=cpu", asked, who(ranks, rank),
                       why.empty() ? "" : ": " + why));
  }
  const std::string last = count == 1 ? "" : fmt::format(" to {}:{}", kind, count - 1);
  refuse(fmt::format("no device {}: {} sees {}, {}:0{}; choose among these, or leave the number out", asked,
                     who(ranks, rank), counted(count, "GPU"), kind, last));
}

// Numbers of the visible devices that a rank may take, preferred ones first.
std::vector<int> numbers_of(std::span<const DeviceFacts> ranks, std::size_t rank) {
  const DeviceRequest& request = ranks[rank].request;
  if (request.index) {
    check_number(ranks, rank, *request.index, request.text());
    return {*request.index};
  }
  if (request.order.empty()) {
    check_number(ranks, rank, 0, request.text());
    std::vector<int> all(ranks[rank].visible.devices.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  for (const int index : request.order) check_number(ranks, rank, index, fmt::format("{}:{}", request.kind, index));
  return request.order;
}

// The ranks of one host, and its devices by numbers of our own, one for each bus id.
class HostChoice {
 public:
  HostChoice(std::span<const DeviceFacts> ranks, std::vector<std::size_t> on_host)
      : ranks_(ranks), on_host_(std::move(on_host)) {
    std::ranges::stable_partition(on_host_, [&](std::size_t rank) { return ranks_[rank].has_shares; });
    for (const std::size_t rank : on_host_) {
      for (const VisibleDevice& device : ranks_[rank].visible.devices) {
        number_of_.try_emplace(device.bus_id, static_cast<int>(number_of_.size()));
      }
      std::vector<int>& wanted = wanted_[rank];
      for (const int index : numbers_of(ranks_, rank)) wanted.push_back(number_of(rank, index));
    }
    load_.resize(number_of_.size());
  }

  // Gives each of the ranks its device.
  void choose(std::vector<ChosenDevice>& chosen) {
    std::vector<std::size_t> open;
    for (const std::size_t rank : on_host_) {
      if (ranks_[rank].request.index) {
        take(rank, wanted_[rank].front(), chosen[rank]);
      } else {
        open.push_back(rank);
      }
    }
    if (open.empty()) return;
    const bool alike = std::ranges::all_of(open, [&](std::size_t rank) { return wanted_[rank] == wanted_[open[0]]; });
    if (alike && open.size() == on_host_.size()) {  // a list is taken as it stands, whatever it repeats
      const std::vector<int>& list = wanted_[open[0]];
      for (std::size_t i = 0; i < open.size(); ++i) take(open[i], list[i % list.size()], chosen[open[i]]);
      return;
    }
    std::vector<std::vector<int>> candidates;
    candidates.reserve(open.size());
    for (const std::size_t rank : open) candidates.push_back(wanted_[rank]);
    const std::vector<int> shared = share_devices(candidates, load_);
    for (std::size_t i = 0; i < open.size(); ++i) take(open[i], shared[i], chosen[open[i]]);
  }

  // A text on ranks that share although their flags do not say so: "4 ranks share 2 GPUs of node07"; "" if none do.
  std::string shares() const {
    std::size_t sharing = 0;
    std::set<int> devices;
    for (const auto& [rank, number] : taken_) {
      const auto on_it = load_[static_cast<std::size_t>(number)];
      const bool unasked = std::ranges::any_of(taken_, [&, on = number](const auto& other) {
        return other.second == on && on_it > asked_for(other.first, on);
      });
      if (!unasked) continue;
      ++sharing;
      devices.insert(number);
    }
    if (sharing == 0) return "";
    return fmt::format("{} ranks share {} of {}", sharing, counted(std::ssize(devices), "GPU"),
                       ranks_[on_host_[0]].host);
  }

 private:
  int number_of(std::size_t rank, int index) const {
    return number_of_.at(ranks_[rank].visible.devices[static_cast<std::size_t>(index)].bus_id);
  }

  // The number of ranks, itself included, that this rank agrees to have on the device.
  int asked_for(std::size_t rank, int number) const {
    if (ranks_[rank].request.index) return std::numeric_limits<int>::max();
    return static_cast<int>(std::ranges::count(wanted_.at(rank), number));
  }

  void take(std::size_t rank, int number, ChosenDevice& chosen) {
    ++load_[static_cast<std::size_t>(number)];
    taken_[rank] = number;
    const auto& visible = ranks_[rank].visible.devices;
    for (const int index : numbers_of(ranks_, rank)) {
      if (number_of(rank, index) != number) continue;
      const VisibleDevice& device = visible[static_cast<std::size_t>(index)];
      chosen = {.kind = ranks_[rank].request.kind, .index = index, .name = device.name, .bus_id = device.bus_id};
      return;
    }
  }

  std::span<const DeviceFacts> ranks_;
  std::vector<std::size_t> on_host_;  // in the order in which they choose
  std::map<std::string, int> number_of_;
  std::map<std::size_t, std::vector<int>> wanted_;  // by rank, numbers of devices
  std::vector<int> load_;                           // ranks on each device
  std::map<std::size_t, int> taken_;                // by rank
};

// The warning about devices that ranks share although no flag says so; "" if there are none.
std::string describe_sharing(const std::vector<std::string>& hosts) {
  if (hosts.empty()) return "";
  const std::string others =
      hosts.size() > 1 ? fmt::format(", and so on {}", counted(std::ssize(hosts) - 1, "more host")) : "";
  return fmt::format(
      "{}{}: they take turns, which is slower than one rank for each GPU; start fewer ranks, and give "
      "--global_batch_size to keep the batch",
      hosts[0], others);
}

// The warning of a rank with auto that has a driver but no GPU; "" if there is none.
std::string describe_lack(std::span<const DeviceFacts> ranks) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const DeviceFacts& facts = ranks[rank];
    if (!facts.by_itself || !facts.on_host || facts.visible.why_none.empty()) continue;
    return fmt::format("no GPU is used: {} sees none: {}; --device=cpu says that none is meant", who(ranks, rank),
                       facts.visible.why_none);
  }
  return "";
}

}  // namespace

std::string ChosenDevice::text() const { return name.empty() ? kind : fmt::format("{}:{}", kind, index); }

DeviceChoice choose_devices(std::span<const DeviceFacts> ranks) {
  DeviceChoice choice;
  check_one_kind(ranks);
  choice.ranks.resize(ranks.size());
  std::vector<std::string> warnings;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) choice.ranks[rank].kind = ranks[rank].request.kind;
  if (ranks[0].on_host) {
    warnings.push_back(describe_lack(ranks));
  } else {
    std::map<std::string, std::vector<std::size_t>> hosts;
    std::vector<std::string> order;  // in the order of ranks
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (ranks[rank].request.apart) continue;
      if (!hosts.contains(ranks[rank].host)) order.push_back(ranks[rank].host);
      hosts[ranks[rank].host].push_back(rank);
    }
    std::vector<std::string> sharing;
    for (const std::string& host : order) {
      HostChoice of_host(ranks, hosts[host]);
      of_host.choose(choice.ranks);
      if (std::string shares = of_host.shares(); !shares.empty()) sharing.push_back(std::move(shares));
    }
    warnings.push_back(describe_sharing(sharing));
  }
  std::ranges::copy_if(warnings, std::back_inserter(choice.warnings), [](const auto& text) { return !text.empty(); });
  return choice;
}

}  // namespace lockstep
