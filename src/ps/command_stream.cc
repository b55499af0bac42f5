#include "ps/command_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.h"
#include "ps/group.h"

namespace lockstep {

CommandStream::CommandStream(const SequencerOptions& options, BatchLedger ledger)
    : options_(options),
      ledger_(std::move(ledger)),
      gate_(options.max_staleness, options.sum),
      sum_(options.sum),
      updates_(options.first_update),
      batches_(static_cast<std::size_t>(options.clients), 0),
      lost_(batches_) {
  LS_CHECK(options.clients > 0 && options.sum > 0 && options.first_update <= options.last_update,
           fmt::format("{} clients, sums of {}, updates {} to {}", options.clients, options.sum, options.first_update,
                       options.last_update));
  LS_CHECK((ledger_.left() + options.sum - 1) / options.sum <= options.last_update - options.first_update,
           fmt::format("{} batches for the updates {} to {} of {} each", ledger_.left(), options.first_update,
                       options.last_update, options.sum));
  for (int client = 0; client < options.clients; ++client) here_.insert(client);
}

void CommandStream::check_here(int client, const char* event) const {
  LS_CHECK(is_here(client), fmt::format("{} of client {}, which has left or never was", event, client));
}

void CommandStream::want(int client) {
  check_here(client, "want");
  LS_CHECK(std::ranges::find(wanting_, client) == wanting_.end(), fmt::format("client {} wants twice", client));
  wanting_.push_back(client);
}

void CommandStream::arrived(const PsMessage& pushed) {
  const auto pull = std::ranges::find(computing_, pushed.client, &Pull::client);
  LS_CHECK(pull != computing_.end() && pull->batch == pushed.batch,
           fmt::format("a gradient of batch {} from client {}, which has another batch or none", pushed.batch,
                       pushed.client));
  const bool taken = std::ranges::any_of(whole_, [&pushed](const Pull& other) {
    return other.client == pushed.client && other.pushed.slot == pushed.slot;
  });
  LS_CHECK(!taken, fmt::format("client {} pushed into slot {} before it was free", pushed.client, pushed.slot));
  whole_.push_back(*pull);
  whole_.back().pushed = pushed;
  computing_.erase(pull);
}

void CommandStream::cut(int client) {
  check_here(client, "cut");
  cutting_.push_back(client);
}

void CommandStream::leave(int client) {
  check_here(client, "leave");
  LS_CHECK(std::ranges::find(wanting_, client) == wanting_.end(),
           fmt::format("client {} leaves while it wants", client));
  remove(client);
}

void CommandStream::remove(int client) {
  here_.erase(client);
  if (here_.empty()) stop();
}

std::optional<std::vector<std::int64_t>> CommandStream::lose(int client) {
  if (!is_here(client)) return {};
  remove(client);
  lost_.at(static_cast<std::size_t>(client)) = 1;
  std::erase(wanting_, client);
  std::erase(cutting_, client);
  std::vector<std::int64_t> again;
  std::erase_if(computing_, [&](const Pull& pull) {
    if (pull.client != client) return false;
    gate_.forget(pull.number);
    ledger_.give_back(pull.batch);
    again.push_back(pull.batch);
    return true;
  });
  return again;
}

bool CommandStream::may_have(int client) const {
  const auto has = [client](const Pull& pull) { return pull.client == client; };
  return std::ranges::find(wanting_, client) != wanting_.end() &&
         std::ranges::count_if(computing_, has) + std::ranges::count_if(whole_, has) <= 1;
}

std::optional<PsMessage> CommandStream::next() {
  if (sum_.full()) return update();
  if (!cutting_.empty() && (is_quiet() || !options_.quiet_cuts)) return save();
  if (const std::optional<Pull> pull = gradient_to_add()) return add(*pull);
  if (!hands_out()) return closing();
  if (!cutting_.empty()) return {};
  if (const std::optional<int> client = client_to_serve()) return deliver(*client);
  return {};
}

std::optional<PsMessage> CommandStream::closing() {
  if (!is_quiet()) return {};
  if (sum_.count() > 0) {
    gate_.update_short();
    return update();
  }
  if (!wanting_.empty()) return finished(wanting_.front());
  if (!here_.empty() || ended_) return {};
  ended_ = true;
  return PsMessage{.kind = PsMessage::Kind::end};
}

PsMessage CommandStream::save() {
  const int client = cutting_.front();
  cutting_.pop_front();
  return {.kind = PsMessage::Kind::save, .client = client, .number = updates_};
}

PsMessage CommandStream::deliver(int client) {
  LS_CHECK(may_have(client), fmt::format("client {} cannot have a batch now", client));
  std::erase(wanting_, client);
  computing_.push_back({.number = gate_.pull(), .client = client, .batch = ledger_.take()});
  PsMessage command = client == kChiefClient ? std::exchange(progress_, {}) : PsMessage{};
  command.kind = PsMessage::Kind::deliver;
  command.client = client;
  command.batch = computing_.back().batch;
  command.number = updates_;
  return command;
}

PsMessage CommandStream::add(const Pull& pull) {
  PsMessage command = pull.pushed;
  command.kind = PsMessage::Kind::add;
  const auto staleness = static_cast<std::size_t>(gate_.add(pull.number));
  if (staleness_.size() <= staleness) staleness_.resize(staleness + 1, 0);
  ++staleness_[staleness];
  ++batches_[static_cast<std::size_t>(pull.client)];
  std::erase_if(whole_, [number = pull.number](const Pull& other) { return other.number == number; });
  sum_.add(command);
  progress_.loss += command.loss;
  progress_.weight += command.weight;
  progress_.norm += command.norm;
  ++progress_.count;
  return command;
}

PsMessage CommandStream::update() {
  PsMessage command{.kind = PsMessage::Kind::update, .count = sum_.count(), .number = ++updates_};
  command.factor = sum_.factor();
  for (const std::int64_t batch : sum_.take()) ledger_.applied(batch);
  return command;
}

PsMessage CommandStream::finished(int client) {
  std::erase(wanting_, client);
  PsMessage command = client == kChiefClient ? std::exchange(progress_, {}) : PsMessage{};
  command.kind = PsMessage::Kind::finished;
  command.client = client;
  command.number = updates_;
  return command;
}

}  // namespace lockstep
