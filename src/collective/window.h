#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep {

// One-sided memory of a group: each rank offers a part, and every rank reads and writes the parts of all, its own among
// them, without the other rank's help. Offsets are bytes into the target's part.
//
// Transfers are started, and complete at the next flush() of their target: only then a get()'s bytes are there, and
// other ranks can see what was put or added. The buffers belong to the window until then. Words, which are 64-bit
// numbers at multiples of 8 bytes, are done at once, and atomic. add() and read_added() are atomic for each float32.
// A place in the memory is accessed in one way only for as long as the window lives, or until all ranks have met: by
// put() and get(), by add() and read_added(), or as a word. MPI leaves anything else undefined, and some of its
// implementations lose updates then.
//
// A rank reads its own part through memory(), after refresh(). Over a network, MPI moves transfers on only while the
// target is inside the library: a target that waits for others calls progress() again and again.
//
// One thread. COLLECTIVE over the group: making it, and close(). The destructor is local. Errors: Error(internal) with
// the failed call; transfers beyond the target's part are refused before anything is sent.
class Window {
 public:
  virtual ~Window() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // This rank's part: zeros at first, aligned to 64 bytes; belongs to the window.
  virtual std::span<std::byte> memory() = 0;
  virtual std::int64_t bytes_of(int rank) const = 0;

  virtual void get(int target, std::int64_t offset, std::span<std::byte> into) = 0;
  virtual void put(int target, std::int64_t offset, std::span<const std::byte> from) = 0;
  // Adds values element by element.
  virtual void add(int target, std::int64_t offset, std::span<const float> values) = 0;
  // Reads what others add to at the same time: each element is whole, but they may be of different moments.
  virtual void read_added(int target, std::int64_t offset, std::span<float> into) = 0;
  virtual void flush(int target) = 0;

  // These return the word's value before the call.
  virtual std::uint64_t fetch_add(int target, std::int64_t offset, std::uint64_t value) = 0;
  virtual std::uint64_t compare_swap(int target, std::int64_t offset, std::uint64_t expected,
                                     std::uint64_t desired) = 0;
  // Reads or writes a word.
  virtual std::uint64_t load(int target, std::int64_t offset) = 0;
  virtual void store(int target, std::int64_t offset, std::uint64_t value) = 0;

  // Makes visible in memory() what others have flushed, and to others what this rank has written there.
  virtual void refresh() = 0;
  // Moves on transfers that others have started with this rank as their target. Does not wait.
  virtual void progress() = 0;

  // Normal shutdown; REQUIRES: every rank has flushed.
  virtual void close() = 0;
};

}  // namespace lockstep
