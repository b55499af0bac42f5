#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <source_location>

// Runs the threads of a kernel's blocks on the CPU. The threads of a block are fibers of the calling thread: each runs
// until it returns or comes to a meeting (__syncthreads(), a shuffle), then the next one runs. When all threads of the
// block, or of the warp, wait at the same meeting, they continue from there. A meeting at which some threads wait and
// that others never reach is an Error(internal) that names the places; on a GPU it would hang or be undefined.
//
// A kernel that lacks a barrier runs to its end here, but its result depends on the order of threads, so tests run each
// operation in both orders and compare.
//
// One kernel runs at a time in the process, whichever thread calls, since shared memory is static.
namespace lockstep::gpu_stand_in {

inline constexpr int kLanes = 32;  // threads per warp

struct Index {
  unsigned x = 0;
};

// Indices of the running thread, as CUDA defines them. REQUIRES: called by a kernel.
extern Index threadIdx;
extern Index blockIdx;
extern Index blockDim;
extern Index gridDim;

enum class ThreadOrder { ascending, descending };
// Sets the order in which the threads of a block, and the blocks of a grid, take turns, from the next grid on.
void set_thread_order(ThreadOrder order);

// Calls `thread` for every thread of every block. REQUIRES: threads is a multiple of kLanes.
void run_grid(std::int64_t blocks, int threads, const std::function<void()>& thread);

// Functions for kernels; meet_block() waits for all threads of the block, meet_warp() for those of the warp.
void meet_block(std::source_location place);
void meet_warp(std::source_location place);
inline int own_lane() { return static_cast<int>(threadIdx.x) % kLanes; }

// Memory for each lane of the running thread's warp. Two slots are used alternately: the next exchange may begin while
// threads of the warp still have to read from this one.
inline constexpr std::size_t kSlotBytes = 24;
unsigned char* exchange_slot(int lane, int turn);
int next_turn();

// Values that the threads of a warp pass to the same call.
template <class T>
class WarpValues {
 public:
  WarpValues(const T& value, std::source_location place) : turn_(next_turn()) {
    static_assert(sizeof(T) <= kSlotBytes);
    std::memcpy(exchange_slot(own_lane(), turn_), &value, sizeof(T));
    meet_warp(place);
  }
  T of(int lane) const {
    T value;
    std::memcpy(&value, exchange_slot(lane, turn_), sizeof(T));
    return value;
  }

 private:
  int turn_;
};

}  // namespace lockstep::gpu_stand_in
