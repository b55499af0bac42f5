#include "support/thread_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace lockstep {

ThreadGroup::ThreadGroup(std::shared_ptr<World> world, int size)
    : born(static_cast<std::size_t>(size)),
      world_(std::move(world)),
      offers_(static_cast<std::size_t>(size)),
      here_(static_cast<std::size_t>(size)) {}

void ThreadGroup::offer(int rank, const Offer& mine) {
  offers_[static_cast<std::size_t>(rank)] = mine;
  meet(rank, mine.call.operation, [this] { return !world_->poison.empty(); });
  const auto as_mine = [&](const Offer& offer) { return offer.call == mine.call; };
  if (std::ranges::all_of(offers_, as_mine)) return;  // the usual case, which allocates nothing
  std::vector<CollectiveCall> calls;
  calls.reserve(offers_.size());
  for (const Offer& offer : offers_) calls.push_back(offer.call);
  fail_all(mismatch(calls));
}

void ThreadGroup::done(int rank, Operation operation) {
  meet(rank, operation, [] { return false; });
}

void ThreadGroup::meet(int rank, Operation operation, const std::function<bool()>& give_up) {
  std::unique_lock lock(world_->mutex);
  here_[static_cast<std::size_t>(rank)] = true;
  if (!give_up() && std::ranges::all_of(here_, std::identity())) {
    here_.assign(here_.size(), false);
    ++meetings_;
    world_->changed.notify_all();
    return;
  }
  const std::uint64_t meeting = meetings_;
  const auto over = [&] { return meetings_ != meeting || give_up(); };
  if (!world_->changed.wait_for(lock, world_->timeout, over) && world_->poison.empty()) {
    world_->poison = fmt::format("{}: of {} ranks, {} did not come within {} ms", name(operation), here_.size(),
                                 missing(), world_->timeout.count());
    world_->changed.notify_all();
  }
  if (meetings_ == meeting) throw Error(ExitCode::internal, world_->poison);
}

void ThreadGroup::poison(const std::string& message) noexcept {
  const std::scoped_lock lock(world_->mutex);
  if (world_->poison.empty()) world_->poison = message;
  world_->changed.notify_all();
}

void ThreadGroup::fail_all(const std::string& message) {
  poison(message);
  throw Error(ExitCode::internal, message);
}

std::string ThreadGroup::missing() const {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < here_.size(); ++rank) {
    if (!here_[rank]) ranks.push_back(rank);
  }
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
}

}  // namespace lockstep
