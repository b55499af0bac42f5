#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace lockstep {

// Which batches of a run are handed out, applied, and still to come. Batches are numbers from 0. One thread.
class BatchLedger {
 public:
  // Begins where a cut left off: `missed` are the batches below `next` that no update has applied. `count` batches will
  // be handed out: the missed ones first, ascending, then next, next + 1, ...
  BatchLedger(std::int64_t next, std::int64_t count, std::span<const std::int64_t> missed = {});

  std::int64_t left() const { return left_; }  // batches that take() still hands out
  std::int64_t take();
  // Ends the run early: take() hands out only the next `count` batches. At most left().
  void limit(std::int64_t count);
  void applied(std::int64_t batch);
  // Takes back a batch that was handed out and will not be applied; it is handed out again.
  void give_back(std::int64_t batch);

  // The state of a cut: batches below next() that are not applied, handed out or not, ascending; and the first batch
  // that was never handed out.
  std::vector<std::int64_t> unapplied() const;
  std::int64_t next() const { return next_; }

 private:
  std::set<std::int64_t> missed_;
  std::set<std::int64_t> handed_out_;
  std::int64_t next_;
  std::int64_t left_;
};

}  // namespace lockstep
