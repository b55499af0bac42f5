#include "collective/wire/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <string_view>
#include <vector>

#include "base/median.h"

namespace lockstep {
namespace {

constexpr int kReadyTag = 1;
constexpr int kLinkTag = 2;
constexpr std::size_t kMessageBytes = 64 << 10;
constexpr std::size_t kMessages = 16;
constexpr int kLinkRounds = 3;
constexpr double kSlow = 1.0 / 3;       // of the fastest: a busy processor alone does not make a link slow
constexpr std::size_t kExceptions = 3;  // hosts named because their interfaces are others

// Gbit/s from when this rank is ready until all has arrived that the previous one then sends: a lower bound.
double measure_round(Messages& messages, std::span<std::byte> sent, std::span<std::byte> received) {
  using Clock = std::chrono::steady_clock;
  const int previous = (messages.rank() + messages.size() - 1) % messages.size();
  const int next = (messages.rank() + 1) % messages.size();
  std::vector<Messages::Started> receives;
  std::vector<Messages::Started> sends;
  for (std::size_t i = 0; i < kMessages; ++i) {
    receives.push_back(messages.receive(previous, kLinkTag, received.subspan(i * kMessageBytes, kMessageBytes)));
  }
  std::array<std::byte, 1> ready{};
  std::array<std::byte, 1> next_is_ready{};
  const Messages::Started wait_for_next = messages.receive(next, kReadyTag, next_is_ready);
  const auto begin = Clock::now();
  sends.push_back(messages.send(previous, kReadyTag, ready));
  const auto all_done = [&](std::span<const Messages::Started> started) {
    return std::ranges::all_of(started, [&](Messages::Started one) { return messages.done(one); });
  };
  std::chrono::duration<double, std::nano> time{};
  while (time.count() == 0 || sends.size() == 1 || !all_done(sends)) {
    if (sends.size() == 1 && messages.done(wait_for_next)) {
      for (std::size_t i = 0; i < kMessages; ++i) sends.push_back(messages.send(next, kLinkTag, sent));
    }
    if (time.count() == 0 && all_done(receives)) time = Clock::now() - begin;
  }
  return 8.0 * kMessages * kMessageBytes / time.count();
}

// The interfaces of most hosts, and which hosts have others.
std::string interfaces_text(std::span<const Link> links) {
  std::map<std::string_view, int> counts;
  for (const Link& link : links) ++counts[link.interfaces];
  const auto usual = std::ranges::max_element(counts, {}, [](const auto& counted) { return counted.second; });
  std::string text(usual->first);
  std::size_t others = 0;
  for (const Link& link : links) {
    if (link.interfaces == usual->first || ++others > kExceptions) continue;
    text += fmt::format(", but {} on {}", link.interfaces.empty() ? "unknown" : link.interfaces, link.to);
  }
  if (others > kExceptions) text += fmt::format(" and others on {} more hosts", others - kExceptions);
  return text;
}

}  // namespace

double measure_link(Messages& messages) {
  std::vector<std::byte> sent(kMessageBytes);
  std::vector<std::byte> received(kMessages * kMessageBytes);
  double best = 0;
  for (int round = 0; round < kLinkRounds; ++round) best = std::max(best, measure_round(messages, sent, received));
  return best;
}

std::string describe_links(std::span<const Link> links) {
  if (links.empty()) return "";
  const auto [slowest, fastest] = std::ranges::minmax_element(links, {}, &Link::gbit);
  std::string text = fmt::format("between hosts: {}", interfaces_text(links));
  if (!text.ends_with(' ')) text += ", ";
  if (slowest->gbit >= kSlow * fastest->gbit) {
    std::vector<double> rates;
    for (const Link& link : links) rates.push_back(link.gbit);
    return text + fmt::format("{:.2f} Gbit/s", median(rates));
  }
  return text + fmt::format("up to {:.2f} Gbit/s; from {} to {} {:.2f} Gbit/s, and all wait for the slowest link",
                            fastest->gbit, slowest->from, slowest->to, slowest->gbit);
}

}  // namespace lockstep
