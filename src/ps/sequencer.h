#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ps/message.h"

namespace lockstep {

// The settings that a run's sequence of commands depends on, besides its batches.
struct SequencerOptions {
  int clients = 1;
  std::optional<std::int64_t> max_staleness{};  // none: no bound
  int sum = 1;                                  // gradients in an update
  std::int64_t first_update = 0;                // updates made before this start
  std::int64_t last_update = 0;                 // updates at the end of the run
  // Gradients change the values before they are whole. So a cut waits until no pull is outstanding, and no batch is
  // handed out meanwhile.
  bool quiet_cuts = false;

  bool operator==(const SequencerOptions&) const = default;
};

// The decisions of the first server: events of clients in, one ordered stream of commands out that every server obeys.
// Pure arithmetic: no messages are sent here. One thread.
//
// Commands have the kinds deliver, add, update, save, end (to every server) and finished (to one client); `client` is
// whom a command concerns. What each carries:
//   deliver   client, batch; number: the updates made so far. To client 0 also loss, weight, norm, count: the sums over
//             the gradients added since the last deliver or finished to client 0.
//   add       the fields of the `pushed` that brought the gradient (client, slot, batch, factor, weight, loss, norm)
//   update    number: of this update, so that the first of a run is 1 and updates() is `number` afterwards; count: the
//             gradients in it; factor: what multiplies the sum (of one gradient, if sums are of one: its own factor)
//   save      client; number: the updates made so far
//   finished  client; number: the updates made so far; to client 0 also the sums, as deliver
//   end       nothing
//
// Events that a client of that state cannot cause are internal Errors.
class Sequencer {
 public:
  virtual ~Sequencer() = default;

  virtual void want(int client) = 0;
  // The gradient that `pushed` (of kind pushed, by pushed.client) announced is whole at every server. Gradients of one
  // client become whole in the order of its batches.
  virtual void arrived(const PsMessage& pushed) = 0;
  virtual void cut(int client) = 0;
  virtual void stop() = 0;
  // Gradients of this client that are under way still count.
  virtual void leave(int client) = 0;
  // The client's process has ended: its gradients that are whole still count, its other batches are handed out again,
  // unless stop() was called. Returns these; nothing if the client had left already.
  virtual std::optional<std::vector<std::int64_t>> lose(int client) = 0;

  // The next command of the stream; nothing until another event. Each call goes one command further, and the state
  // below is the one after that command: after a `save`, what belongs to the cut.
  virtual std::optional<PsMessage> next() = 0;

  virtual std::int64_t updates() const = 0;
  // The batches of a cut: those below next_batch() that no update has applied, ascending.
  virtual std::vector<std::int64_t> unapplied() const = 0;
  // The first batch that was never handed out.
  virtual std::int64_t next_batch() const = 0;

  // The number of gradients added with each staleness, from 0. Staleness is the updates made between the values that a
  // gradient was computed for and its own update.
  virtual const std::vector<std::int64_t>& staleness() const = 0;
  // The number of gradients that were added, by client.
  virtual const std::vector<std::int64_t>& batches() const = 0;
  // PsAccount::lost.
  virtual const std::vector<std::int64_t>& lost() const = 0;
};

}  // namespace lockstep
