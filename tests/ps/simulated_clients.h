#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "ps/message.h"
#include "ps/sequencer.h"

namespace lockstep {

// The gradient of a batch, the same whoever computes it. Weights are 1, 2 or 3.
inline PsMessage gradient_of(std::int64_t batch, int client, int slot) {
  const auto weight = static_cast<double>(1 + batch % 3);
  return {.kind = PsMessage::Kind::pushed,
          .client = client,
          .slot = slot,
          .batch = batch,
          .factor = 0.7 / weight,
          .weight = weight,
          .loss = static_cast<double>(batch),
          .norm = 0.5};
}

// All commands that a Sequencer has to give now.
inline std::vector<PsMessage> commands_now(Sequencer& sequencer) {
  std::vector<PsMessage> commands;
  while (const std::optional<PsMessage> command = sequencer.next()) commands.push_back(*command);
  return commands;
}

// Clients that want, compute, push and leave in a random order, as a Sequencer's events. Client 0 cuts now and then.
class SimulatedClients {
 public:
  SimulatedClients(Sequencer& sequencer, int clients, std::uint64_t seed)
      : sequencer_(sequencer), clients_(static_cast<std::size_t>(clients)), random_(seed) {}

  std::function<void()> before_event = [] {};  // may cause events of its own, such as a stop
  std::function<void(const PsMessage&)> at_command = [](const PsMessage&) {};  // the Sequencer is as just after it

  // Goes on until the stream ends; false if it comes to a halt before.
  bool run() {
    while (!ended_) {
      before_event();
      obey();
      if (ended_) break;
      std::vector<std::function<void()>> events;
      for (std::size_t client = 0; client < clients_.size(); ++client) add_events(static_cast<int>(client), events);
      if (events.empty()) return false;
      events[random_() % events.size()]();
      obey();
    }
    return true;
  }

  // The client does nothing more; to be called with Coordinator::lose().
  void lose(int client) { of(client) = {.state = State::gone}; }
  bool is_gone(int client) { return of(client).state == State::gone; }

 private:
  enum class State { idle, waiting, computing, gone };
  struct Client {
    State state = State::idle;
    bool finished = false;
    std::int64_t batch = 0;
    int slot = 0;
    std::deque<PsMessage> under_way{};
  };

  Client& of(int client) { return clients_[static_cast<std::size_t>(client)]; }

  void add_events(int number, std::vector<std::function<void()>>& events) {
    Client& client = of(number);
    if (!client.under_way.empty()) {
      events.emplace_back([this, &client] {
        sequencer_.arrived(client.under_way.front());
        client.under_way.pop_front();
      });
    }
    if (client.state == State::computing) {
      events.emplace_back([&client, number] {
        client.under_way.push_back(gradient_of(client.batch, number, client.slot));
        client.slot = 1 - client.slot;
        client.state = State::idle;
      });
    }
    if (client.state != State::idle) return;
    if (number == 0 && random_() % 8 == 0) events.emplace_back([this] { sequencer_.cut(0); });
    events.emplace_back([this, &client, number] {
      client.finished ? sequencer_.leave(number) : sequencer_.want(number);
      client.state = client.finished ? State::gone : State::waiting;
    });
  }

  void obey() {
    while (const std::optional<PsMessage> command = sequencer_.next()) {
      at_command(*command);
      if (command->kind == PsMessage::Kind::end) ended_ = true;
      Client& client = of(command->client);
      if (command->kind == PsMessage::Kind::deliver) {
        client.batch = command->batch;
        client.state = State::computing;
      } else if (command->kind == PsMessage::Kind::finished) {
        client.finished = true;
        client.state = State::idle;
      }
    }
  }

  Sequencer& sequencer_;
  std::vector<Client> clients_;
  std::mt19937_64 random_;
  bool ended_ = false;
};

}  // namespace lockstep
