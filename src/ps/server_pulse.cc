#include "ps/server_pulse.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace lockstep {

using Kind = PsMessage::Kind;

ServerPulse::ServerPulse(PsMessages& messages, const PsGroup& group, PsPatience patience)
    : messages_(messages), group_(group), patience_(std::move(patience)), silent_(group.ranges.size(), false) {}

void ServerPulse::look() {
  if (patience_.limit.count() == 0) return;
  const Clock::time_point now = Clock::now();
  // After a while without a look the client has computed, or was stopped with all others, and begins to wait only now.
  if (now - last_look_ > std::chrono::seconds(1)) since_ = now;
  last_look_ = now;
  if (now - noted_ > std::chrono::seconds(1)) {
    patience_.note_progress();
    noted_ = now;
  }
  if (!asked_) {
    if (now - since_ > patience_.limit / 4) ask();
    return;
  }
  if (quiet() || now - since_ < patience_.limit) return;
  const auto server = static_cast<int>(std::ranges::find(silent_, true) - silent_.begin());
  throw Error(ExitCode::internal,
              fmt::format("{}, parameter server {}, has not answered to {} for {} s: it is stopped, or its host or the "
                          "network is down; --hang_timeout sets the time",
                          patience_.who(group_.rank_of(server)), server, patience_.who(messages_.messages().rank()),
                          patience_.limit.count()));
}

bool ServerPulse::quiet() {
  if (!asked_) return true;
  for (int server = 0; server < group_.servers(); ++server) {
    while (messages_.receive_from(group_.rank_of(server), kAlive)) silent_[static_cast<std::size_t>(server)] = false;
  }
  if (std::ranges::find(silent_, true) != silent_.end()) return false;
  asked_ = false;
  since_ = Clock::now();
  return true;
}

void ServerPulse::ask() {
  for (int server = 0; server < group_.servers(); ++server) {
    messages_.send(group_.rank_of(server), kToServer, {.kind = Kind::ping, .client = messages_.messages().rank()});
  }
  silent_.assign(silent_.size(), true);
  asked_ = true;
  since_ = Clock::now();
}

}  // namespace lockstep
