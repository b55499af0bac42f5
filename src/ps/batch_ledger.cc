#include "ps/batch_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"

namespace lockstep {

BatchLedger::BatchLedger(std::int64_t next, std::int64_t count, std::span<const std::int64_t> missed)
    : missed_(missed.begin(), missed.end()), next_(next), left_(count) {
  LS_CHECK(next >= 0 && count >= 0, fmt::format("{} batches from {} on", count, next));
  LS_CHECK(std::ssize(missed_) == std::ssize(missed), "a missed batch is listed twice");
  LS_CHECK(missed_.empty() || (*missed_.begin() >= 0 && *missed_.rbegin() < next),
           fmt::format("a missed batch is not in [0, {})", next));
}

std::int64_t BatchLedger::take() {
  LS_CHECK(left_ > 0, "no batch is left");
  --left_;
  const std::int64_t batch = missed_.empty() ? next_++ : missed_.extract(missed_.begin()).value();
  handed_out_.insert(batch);
  return batch;
}

void BatchLedger::limit(std::int64_t count) {
  LS_CHECK(count >= 0 && count <= left_, fmt::format("only the next {} of {} batches", count, left_));
  left_ = count;
}

void BatchLedger::applied(std::int64_t batch) {
  LS_CHECK(handed_out_.erase(batch) == 1, fmt::format("batch {} is not handed out", batch));
}

void BatchLedger::give_back(std::int64_t batch) {
  LS_CHECK(handed_out_.erase(batch) == 1, fmt::format("batch {} is not handed out", batch));
  missed_.insert(batch);
  ++left_;
}

std::vector<std::int64_t> BatchLedger::unapplied() const {
  std::vector<std::int64_t> batches;
  std::ranges::set_union(missed_, handed_out_, std::back_inserter(batches));
  return batches;
}

}  // namespace lockstep
