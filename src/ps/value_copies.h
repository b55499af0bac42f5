#pragma once

#include <cstddef>
#include <vector>

namespace lockstep {

// The count of a server's copies of its values and of who reads them, so that an update changes nothing that is being
// read. Copy 0 is the current one at first. Pure arithmetic.
class ValueCopies {
 public:
  explicit ValueCopies(std::size_t copies);

  // The copy with the values of now.
  std::size_t current() const { return current_; }
  // A client begins to read the current copy, which is returned; end_read() of the copy must follow.
  std::size_t begin_read();
  void end_read(std::size_t copy);
  bool being_read() const;

  // Returns whether there is a copy that an update can be made in: the current one if nobody reads it, or a free one.
  bool may_update() const;
  // Returns the copy to make an update in, which is the current one from now on: the one that was it, or else a free
  // copy, into which the caller copies the values first. REQUIRES: may_update().
  std::size_t begin_update();

 private:
  // The current copy if nobody reads it, or else the first that nobody reads, or the number of copies.
  std::size_t next() const;

  std::vector<int> readers_;
  std::size_t current_ = 0;
};

}  // namespace lockstep
