#include "ps/ps_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"

namespace lockstep {

void PsMessages::send(int to, int tag, std::span<const std::byte> bytes) {
  on_their_way_.push_back({.to = to, .bytes = {bytes.begin(), bytes.end()}, .started = {}});
  OnItsWay& last = on_their_way_.back();
  last.started = messages_.send(to, tag, last.bytes);
}

bool PsMessages::sent() {
  std::erase_if(on_their_way_, [this](const OnItsWay& one) { return messages_.done(one.started); });
  return on_their_way_.empty();
}

void PsMessages::forget(int to) {
  const auto lost = std::ranges::stable_partition(on_their_way_, [to](const OnItsWay& one) { return one.to != to; });
  std::ranges::move(lost, std::back_inserter(forgotten_));
  on_their_way_.erase(lost.begin(), lost.end());
}

std::optional<PsMessages::Received> PsMessages::receive(int tag) {
  const auto arrival = messages_.arrived(tag);
  if (!arrival) return std::nullopt;
  return Received{.from = arrival->from, .message = take(*arrival, tag)};
}

std::optional<PsMessage> PsMessages::receive_from(int from, int tag) {
  const auto arrival = messages_.arrived_from(from, tag);
  if (!arrival) return std::nullopt;
  return take(*arrival, tag);
}

PsMessage PsMessages::take(const Messages::Arrival& arrival, int tag) {
  LS_CHECK(arrival.bytes == static_cast<std::int64_t>(sizeof(PsMessage)),
           fmt::format("rank {} received {} bytes of tag {} from rank {}, where a short message has {}",
                       messages_.rank(), arrival.bytes, tag, arrival.from, sizeof(PsMessage)));
  PsMessage message;
  const auto started = messages_.receive(arrival.from, tag, bytes_of(message));
  while (!messages_.done(started)) {
    // It is there already: nobody else has to do anything.
  }
  return message;
}

}  // namespace lockstep
