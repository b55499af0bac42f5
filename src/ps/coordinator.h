#pragma once

#include <optional>
#include <utility>

#include "ps/batch_ledger.h"
#include "ps/command_stream.h"

namespace lockstep {

// The Sequencer of a run as it comes: it serves whoever is there.
//
// Clients get batches in the order in which they asked, while the staleness bound admits a pull; one whose mailboxes
// are both in use is passed over until one is free. Gradients are added in the order in which they became whole. One
// that would make an older gradient, still to come, too stale is held back, and those that become whole after it are
// added first if the gate lets them pass. Only gradients of older pulls can: where the gate holds a gradient, it holds
// all of younger pulls. It never holds the oldest, so each is added in the end, and those of one client in order.
class Coordinator : public CommandStream {
 public:
  using Options = SequencerOptions;

  Coordinator(const Options& options, BatchLedger ledger) : CommandStream(options, std::move(ledger)) {}

 private:
  std::optional<int> client_to_serve() override;
  std::optional<Pull> gradient_to_add() override;
};

}  // namespace lockstep
