#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "collective/communicator.h"

namespace lockstep {

// The tickets of a step's buckets, in the order in which these go out. A part of a GradientReducer, for its thread.
class BucketTickets {
 public:
  // taken: called with the number of each bucket, in order, as soon as add() or finish() finds its sums there.
  BucketTickets(Communicator& communicator, std::function<void(std::size_t number)> taken)
      : communicator_(communicator), taken_(std::move(taken)) {}

  // The number of the next bucket.
  std::size_t size() const { return tickets_.size(); }

  // Adds a ticket, then takes in order those that were done when they were added.
  void add(Ticket ticket) {
    tickets_.push_back(ticket);
    while (next_ < tickets_.size() && tickets_[next_].number == 0) take_next();
  }

  // Waits for the remaining tickets and takes them. A new step begins.
  void finish() {
    while (next_ < tickets_.size()) take_next();
    tickets_.clear();
    next_ = 0;
  }

 private:
  void take_next() {
    const std::size_t number = next_++;
    communicator_.wait(tickets_[number]);
    taken_(number);
  }

  Communicator& communicator_;
  std::function<void(std::size_t number)> taken_;
  std::vector<Ticket> tickets_;
  std::size_t next_ = 0;  // the next one to take
};

}  // namespace lockstep
