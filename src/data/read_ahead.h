#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace lockstep {

// Loads blocks that will be needed soon, on a thread of its own, in the order in which they were announced: a slow disk
// then delays nobody as long as it keeps up on average. Any thread may announce.
class ReadAhead {
 public:
  // What it throws is dropped: whoever needs the block loads it again and learns the reason.
  using Load = std::function<void(std::int64_t block)>;

  // Of more than `most` blocks that wait the oldest are forgotten: their time has come already.
  ReadAhead(Load load, std::size_t most);
  ~ReadAhead();  // waits for the block being loaded, forgets the others
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  void expect(std::int64_t block);

 private:
  void run();

  Load load_;
  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::int64_t> waiting_;  // (guarded by mutex_)
  bool stop_ = false;                 // (guarded by mutex_)
  std::thread thread_;
};

}  // namespace lockstep
