#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace lockstep {

// Messages between two ranks of a group at a time, while others do something else: unlike a Communicator's operations
// nothing here is COLLECTIVE except close().
//
// Messages of one sender, one receiver and one tag arrive in the order in which they were sent. Nothing waits: send()
// and receive() start, done() tells whether the buffer is the caller's again. A message moves on only while its sender
// and its receiver call done() or arrived() again and again.
//
// One thread. The destructor is local. Errors: Error(internal) with the failed call and the peer; also if a message has
// another size than its receiver expects.
class Messages {
 public:
  // A send or receive that was started.
  struct Started {
    std::uint64_t number = 0;  // 0: done already
  };
  // A message that can be received without waiting for its sender to come.
  struct Arrival {
    int from = 0;
    std::int64_t bytes = 0;
  };

  virtual ~Messages() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // tag: 0 to 999. The bytes stay as they are until done().
  virtual Started send(int to, int tag, std::span<const std::byte> bytes) = 0;
  // The buffer has the message's size.
  virtual Started receive(int from, int tag, std::span<std::byte> bytes) = 0;
  // Returns whether it is done; a number that was done may be asked for again.
  virtual bool done(Started started) = 0;
  // The first message of this tag that is there and not yet received, of whichever sender; the receive() of it takes
  // its bytes from Arrival.
  virtual std::optional<Arrival> arrived(int tag) = 0;
  // The same for the messages of one sender.
  virtual std::optional<Arrival> arrived_from(int from, int tag) = 0;

  // Normal shutdown. REQUIRES: everything is done, on every rank. COLLECTIVE.
  virtual void close() = 0;
};

}  // namespace lockstep
