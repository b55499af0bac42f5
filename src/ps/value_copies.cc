#include "ps/value_copies.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace lockstep {

ValueCopies::ValueCopies(std::size_t copies) : readers_(copies) {
  LS_CHECK(copies > 0, "a server without a copy of its values");
}

std::size_t ValueCopies::begin_read() {
  ++readers_[current_];
  return current_;
}

void ValueCopies::end_read(std::size_t copy) {
  LS_CHECK(copy < readers_.size() && readers_[copy] > 0,
           fmt::format("the end of a read of copy {} of {}, which nobody reads", copy, readers_.size()));
  --readers_[copy];
}

bool ValueCopies::being_read() const {
  return std::ranges::any_of(readers_, [](int readers) { return readers > 0; });
}

bool ValueCopies::may_update() const { return next() < readers_.size(); }

std::size_t ValueCopies::begin_update() {
  LS_CHECK(may_update(), "an update while every copy of the values is being read");
  current_ = next();
  return current_;
}

std::size_t ValueCopies::next() const {
  if (readers_[current_] == 0) return current_;
  return static_cast<std::size_t>(std::ranges::find(readers_, 0) - readers_.begin());
}

}  // namespace lockstep
