#include "collective/wire/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "base/median.h"

namespace lockstep {
namespace {

constexpr int kLinkTag = 0;
constexpr std::size_t kMessageBytes = 64 << 10;
constexpr std::size_t kMessages = 17;
constexpr int kLinkRounds = 2;
constexpr double kSlow = 0.5;  // of the median

// Gbit/s from the arrival of the first message to that of the last: ranks need not begin at the same time.
double measure_round(Messages& messages, std::span<std::byte> sent, std::span<std::byte> received) {
  using Clock = std::chrono::steady_clock;
  const int previous = (messages.rank() + messages.size() - 1) % messages.size();
  const int next = (messages.rank() + 1) % messages.size();
  std::array<Messages::Started, kMessages> receives;
  std::array<Messages::Started, kMessages> sends;
  for (std::size_t i = 0; i < kMessages; ++i) {
    receives[i] = messages.receive(previous, kLinkTag, received.subspan(i * kMessageBytes, kMessageBytes));
  }
  for (Messages::Started& send : sends) send = messages.send(next, kLinkTag, sent);
  while (!messages.done(receives.front())) {
  }
  const auto begin = Clock::now();
  while (!messages.done(receives.back())) {
  }
  const std::chrono::duration<double, std::nano> time = Clock::now() - begin;
  const auto all_done = [&](const auto& started) {
    return std::ranges::all_of(started, [&](Messages::Started one) { return messages.done(one); });
  };
  while (!all_done(sends) || !all_done(receives)) {
  }
  return 8.0 * (kMessages - 1) * kMessageBytes / time.count();
}

std::string interfaces_text(std::span<const Link> links) {
  std::string text;
  for (const Link& link : links) {
    const bool alike = std::ranges::all_of(links, [&](const Link& one) { return one.interfaces == link.interfaces; });
    if (alike) return link.interfaces;
    text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", link.interfaces.empty() ? "no TCP" : link.interfaces,
                        link.to);
  }
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
  std::vector<double> rates;
  for (const Link& link : links) rates.push_back(link.gbit);
  const double usual = median(rates);
  const std::string interfaces = interfaces_text(links);
  std::string text = fmt::format("between hosts: {}{}{:.2f} Gbit/s", interfaces, interfaces.empty() ? "" : ", ", usual);
  const Link& slowest = *std::ranges::min_element(links, {}, &Link::gbit);
  if (slowest.gbit < kSlow * usual) {
    text += fmt::format("; from {} to {} {:.2f} Gbit/s, and all wait for the slowest link", slowest.from, slowest.to,
                        slowest.gbit);
  }
  return text;
}

}  // namespace lockstep
