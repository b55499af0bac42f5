#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "ps/batch_ledger.h"
#include "ps/message.h"
#include "ps/pending_sum.h"
#include "ps/sequencer.h"
#include "ps/staleness_gate.h"

namespace lockstep {

// A Sequencer but for two choices, which derived classes make: whom to give the next batch, and which gradient to add
// next. The rest follows from these:
//   - a full sum is applied at once; then cuts that were asked for are answered; then gradients are added, before
//     batches are handed out, so that these are computed with the newer values; then batches are handed out, unless a
//     cut waits (SequencerOptions::quiet_cuts);
//   - once no further batch is handed out, because none is left, after a stop, or as all clients are gone, and no
//     gradient is outstanding: an incomplete sum is applied, clients that are waiting for a batch get `finished`, and
//     the stream ends after the last client has left.
class CommandStream : public Sequencer {
 public:
  void want(int client) final;
  void arrived(const PsMessage& pushed) final;
  void cut(int client) final;
  void stop() final { stopped_ = true; }
  void leave(int client) final;
  std::optional<std::vector<std::int64_t>> lose(int client) final;
  std::optional<PsMessage> next() final;

  std::int64_t updates() const final { return updates_; }
  std::vector<std::int64_t> unapplied() const final { return ledger_.unapplied(); }
  std::int64_t next_batch() const final { return ledger_.next(); }
  const std::vector<std::int64_t>& staleness() const final { return staleness_; }
  const std::vector<std::int64_t>& batches() const final { return batches_; }
  const std::vector<std::int64_t>& lost() const final { return lost_; }

 protected:
  // A batch that was handed out and whose gradient is not added yet.
  struct Pull {
    std::int64_t number = 0;  // the gate's
    int client = 0;
    std::int64_t batch = 0;
    PsMessage pushed{};  // once the gradient is whole
  };

  // The ledger hands out at most as many batches as the updates of the run take.
  CommandStream(const SequencerOptions& options, BatchLedger ledger);

  // Called while batches may be handed out. Returns a client that may have one (may_have), or nothing.
  virtual std::optional<int> client_to_serve() = 0;
  // Returns one of whole() that the gate lets pass, or nothing.
  virtual std::optional<Pull> gradient_to_add() = 0;

  const StalenessGate& gate() const { return gate_; }
  const std::vector<Pull>& whole() const { return whole_; }          // in the order in which they became whole
  const std::deque<int>& wanting() const { return wanting_; }        // clients, in the order in which they asked
  bool is_here(int client) const { return here_.contains(client); }  // false once it has left or is lost
  bool stopped() const { return stopped_; }
  // True if the client has asked for a batch, and the mailbox of its next gradient is free by the time it pushes that:
  // at most one of its earlier gradients is not added yet.
  bool may_have(int client) const;

 private:
  bool hands_out() const { return !stopped_ && ledger_.left() > 0; }
  bool is_quiet() const { return computing_.empty() && whole_.empty(); }  // no pull is outstanding
  void check_here(int client, const char* event) const;
  void remove(int client);
  std::optional<PsMessage> closing();
  PsMessage save();
  PsMessage deliver(int client);
  PsMessage add(const Pull& pull);
  PsMessage update();
  PsMessage finished(int client);

  SequencerOptions options_;
  BatchLedger ledger_;
  StalenessGate gate_;
  PendingSum sum_;
  std::int64_t updates_;
  std::set<int> here_;
  std::deque<int> wanting_;
  std::deque<int> cutting_;
  std::vector<Pull> computing_;  // by age
  std::vector<Pull> whole_;
  bool stopped_ = false;
  bool ended_ = false;
  PsMessage progress_;  // loss, weight, norm and count since the chief heard of them
  std::vector<std::int64_t> staleness_;
  std::vector<std::int64_t> batches_;
  std::vector<std::int64_t> lost_;
};

}  // namespace lockstep
