#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ps/batch_ledger.h"
#include "ps/command_stream.h"
#include "ps/read_update_log.h"

namespace lockstep {

// The Sequencer that repeats the order of an earlier run, so that its updates have the same bits: each batch goes to
// the same client with the values after the same updates, and gradients are added in the same order. It waits for whom
// the log names next. The bound on staleness plays no part: the order has it already.
//
// If the log's run was stopped early, this one ends there too. After stop(), batches that were handed out are added in
// the order of the log, without those that were not.
class Replay : public CommandStream {
 public:
  // Throws as check() does.
  Replay(const UpdateLogHeader& run, BatchLedger ledger, RecordedUpdates log);

  // Throws Error(configuration) of every rank if this run's updates could not be those of the log: other clients, sums,
  // updates, seed or batches; and Error(bad_data) of every rank if the log hands out other batches than the ledger. The
  // numbers of servers may differ. For every rank to call, since only the first server makes a Replay.
  static void check(const UpdateLogHeader& run, const BatchLedger& ledger, const RecordedUpdates& log);

 private:
  std::optional<int> client_to_serve() override;
  std::optional<Pull> gradient_to_add() override;
  void skip();
  [[noreturn]] void refuse(const std::string& why) const;

  std::string path_;
  std::vector<PsMessage> commands_;  // the log's deliver and add; updates follow from these
  std::size_t at_ = 0;
  std::set<std::int64_t> skipped_;  // batches that a stop left out
};

}  // namespace lockstep
