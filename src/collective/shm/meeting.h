#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collective/shm/peer_process.h"
#include "collective/shm/rank_block.h"

namespace lockstep {

// A rank's side of all meetings of a group. At each meeting it says what it has come for, waits until all have come,
// and may then read what each of them has put into its area (next_area()).
//
// A wait spins for the time in which a running peer comes, then yields the core, then sleeps on a futex, so that ranks
// without a core of their own get time. A rank that sleeps checks every tenth of a second that the ranks that have not
// come still live and, if the job spans hosts, drives MPI every millisecond (MpiSession::driver()).
//
// One thread at a time; poison() from any. meet() throws Error(internal) when a rank has ended, has given up (poison),
// or has come for something else; then the group is of no use any more.
class Meeting {
 public:
  struct Group {
    int rank = 0;
    std::vector<std::shared_ptr<RankBlock>> blocks;  // one per rank
    PeerProcesses processes;
    std::vector<int> job_ranks;                      // the numbers of these ranks in the job, which messages name
    std::vector<std::shared_ptr<Poison>> inherited;  // those of the groups that this one is part of
    bool crowded = false;                            // there are more ranks than cores for them
    std::function<void()> drive{};                   // moves MPI's messages on; empty: all ranks are on one host
  };
  explicit Meeting(Group group);
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  int rank() const { return group_.rank; }
  int size() const { return static_cast<int>(group_.blocks.size()); }
  const Group& group() const { return group_; }
  int job_rank(int peer) const { return group_.job_ranks[static_cast<std::size_t>(peer)]; }
  // The poison of this group and of those it inherits from.
  std::vector<std::shared_ptr<Poison>> poisons() const;

  // This rank's area of the next meeting, RankBlock::kAreaBytes long. It may be filled, but only before meet().
  std::byte* next_area() { return block(rank()).areas[(meetings_ + 1) % 2]; }

  // Waits for all ranks. With a call, it begins that operation; without one, it continues the operation. COLLECTIVE.
  void meet(const Call& call);
  void meet();

  // A peer's call, if meet() had one, and its area. Valid until the next meeting.
  const Call& call(int peer) const { return block(peer).slots[meetings_ % 2].call; }
  const std::byte* area(int peer) const { return block(peer).areas[meetings_ % 2]; }

  // Makes this and every other rank's meet() throw.
  void poison(const std::string& message) noexcept;
  // Poisons, then throws.
  [[noreturn]] void fail_all(const std::string& message);

 private:
  RankBlock& block(int peer) const { return *group_.blocks[static_cast<std::size_t>(peer)]; }
  RankBlock::Doorbell& doorbell() const { return group_.blocks.front()->doorbell; }
  // The first rank from `first` on that has not come to the meeting under way, or size().
  int missing(int first = 0) const;
  void ring() noexcept;
  void wait();
  void sleep(std::chrono::milliseconds at_most);
  void wait_long();
  void check_poison() const;
  void check_alive();
  void check_calls();

  Group group_;
  std::uint64_t meetings_ = 0;  // number of meetings that this rank has come to
  Operation operation_ = Operation::none;
};

}  // namespace lockstep
