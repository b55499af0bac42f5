#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace lockstep {

// Loads blocks that will be needed soon, on a thread of its own, in the order in which they were announced: a slow disk
// then delays no step as long as it keeps up on average. Any thread may announce.
class ReadAhead {
 public:
  // Errors are dropped: the reader that needs the block loads it again and gets the error.
  using Load = std::function<void(std::int64_t block)>;

  // If more than `most` blocks wait, the oldest are dropped: they have been needed by now.
  ReadAhead(Load load, std::size_t most);
  ~ReadAhead() = default;  // waits for the block being loaded, forgets the others
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  void expect(std::int64_t block);

 private:
  void run(const std::stop_token& stop);

  Load load_;
  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::int64_t> waiting_;  // (guarded by mutex_)
  std::jthread thread_;               // last: it uses the others until it has ended
};

}  // namespace lockstep
