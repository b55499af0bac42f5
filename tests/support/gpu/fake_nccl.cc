#include "support/gpu/fake_nccl.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "collective/nccl/nccl_calls.h"
#include "collective/nccl/nccl_communicator.h"
#include "collective/slices.h"
#include "collective/sum_kernels.h"
#include "support/gpu/fake_stream.h"

namespace lockstep {
namespace gpu_stand_in {
namespace {

constexpr int kVersion = 22809;

std::atomic<bool> peer_is_lost = false;
std::atomic<const char*> refusal = "";
std::atomic<int> communicators = 0;

enum class Kind { all_reduce, reduce, broadcast, reduce_scatter, all_gather };

struct Call {
  Kind kind = Kind::all_reduce;
  Tensor values{};  // marked as heap memory
  int root = 0;

  bool operator==(const Call& other) const {
    return kind == other.kind && root == other.root && values.dtype() == other.values.dtype() &&
           values.count() == other.values.count();
  }
};

// Performs the call on the values of all ranks.
void perform(const std::vector<std::optional<Call>>& calls) {
  const Call& call = *calls.front();
  const int ranks = static_cast<int>(calls.size());
  const auto slice = [&](int rank, FlatRange range) {
    return calls[static_cast<std::size_t>(rank)]->values.flat(range);
  };
  // destinations: the values of ranks [first, last).
  const auto sum = [&](FlatRange range, int first, int last) {
    std::vector<const void*> sources;
    std::vector<void*> destinations;
    for (int rank = 0; rank < ranks; ++rank) sources.push_back(slice(rank, range).data());
    for (int rank = first; rank < last; ++rank) destinations.push_back(slice(rank, range).data());
    sum_into(call.values.dtype(), sources, destinations, range.count());
  };
  const auto copy = [&](FlatRange range, int root) {
    const Tensor from = slice(root, range);
    for (int rank = 0; rank < ranks; ++rank) {
      if (rank != root) std::memcpy(slice(rank, range).data(), from.data(), from.bytes());
    }
  };
  const FlatRange all{0, call.values.count()};
  switch (call.kind) {
    case Kind::all_reduce:
      return sum(all, 0, ranks);
    case Kind::reduce:
      return sum(all, call.root, call.root + 1);
    case Kind::broadcast:
      return copy(all, call.root);
    case Kind::reduce_scatter:
      for (int rank = 0; rank < ranks; ++rank) sum(equal_slice(all.count(), ranks, rank), rank, rank + 1);
      return;
    case Kind::all_gather:
      for (int rank = 0; rank < ranks; ++rank) copy(equal_slice(all.count(), ranks, rank), rank);
      return;
  }
}

// State shared by the ranks of a communicator: their operations meet here, by their numbers.
class World {
 public:
  explicit World(int ranks) : ranks_(ranks) {}

  void join(int gpu) {
    const std::scoped_lock lock(mutex_);
    if (std::ranges::find(gpus_, gpu) != gpus_.end()) throw Error(ExitCode::internal, "Duplicate GPU detected");
    gpus_.push_back(gpu);
  }
  bool complete() {
    const std::scoped_lock lock(mutex_);
    return std::ssize(gpus_) == ranks_;
  }

  void meet(int rank, std::int64_t number, const Call& call, const std::atomic<bool>& aborted) {
    std::unique_lock lock(mutex_);
    Meeting& meeting = meetings_[number];
    meeting.calls.resize(static_cast<std::size_t>(ranks_));
    meeting.calls[static_cast<std::size_t>(rank)] = call;
    if (!meeting.done && std::ranges::all_of(meeting.calls, [](const auto& other) { return other.has_value(); })) {
      meeting.same = std::ranges::all_of(meeting.calls, [&](const auto& other) { return *other == call; });
      if (meeting.same) perform(meeting.calls);
      meeting.done = true;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return meeting.done || aborted; });
    if (!meeting.done) {  // this rank's values are about to be freed
      meeting.calls[static_cast<std::size_t>(rank)].reset();
      return;
    }
    const bool same = meeting.same;
    if (++meeting.left == ranks_) meetings_.erase(number);
    if (!same) throw Error(ExitCode::internal, "ranks that ask NCCL for different operations");
  }

  void wake() {
    const std::scoped_lock lock(mutex_);
    changed_.notify_all();
  }

 private:
  struct Meeting {
    std::vector<std::optional<Call>> calls;
    bool done = false;
    bool same = true;
    int left = 0;
  };

  int ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> gpus_;
  std::map<std::int64_t, Meeting> meetings_;
};

// One rank's part of a communicator; shared with its operations, which outlive an abort for a moment.
struct FakeComm {
  std::shared_ptr<World> world;
  int rank = 0;
  std::int64_t operations = 0;
  std::atomic<bool> aborted = false;
  std::shared_ptr<int> in_graphs = std::make_shared<int>();  // shared with operations that are part of a graph
};

std::mutex worlds_mutex;
std::map<std::int64_t, std::weak_ptr<World>> worlds;
std::int64_t last_id = 0;

std::int64_t number_of(const NcclId& id) {
  std::int64_t number = 0;
  std::memcpy(&number, id.bytes.data(), sizeof(number));
  return number;
}

std::shared_ptr<World> world_of(const NcclId& id, int ranks) {
  const std::scoped_lock lock(worlds_mutex);
  auto world = worlds[number_of(id)].lock();
  if (world == nullptr) worlds[number_of(id)] = world = std::make_shared<World>(ranks);
  return world;
}

const std::shared_ptr<FakeComm>& of(NcclComm comm) { return *static_cast<std::shared_ptr<FakeComm>*>(comm.handle); }

void give_up(NcclComm comm) {
  delete &of(comm);
  --communicators;
}

void put(const Call& call, NcclComm comm, GpuStream stream) {
  const std::int64_t number = ++of(comm)->operations;
  Call on_heap = call;
  on_heap.values = Tensor(call.values.data(), call.values.dtype(), call.values.shape());
  submit(stream, [own = of(comm), number, on_heap, graph = is_capturing(stream) ? of(comm)->in_graphs : nullptr] {
    own->world->meet(own->rank, number, on_heap, own->aborted);
  });
}

}  // namespace

const NcclModule& fake_nccl() {
  static constexpr NcclModule kModule{kVersion, &loaded_nccl_version, &make_nccl_communicator};
  return kModule;
}

void lose_nccl_peer() { peer_is_lost = true; }
void find_nccl_peer_again() { peer_is_lost = false; }
void refuse_nccl(const char* why) { refusal = why; }
int nccl_communicators() { return communicators; }

}  // namespace gpu_stand_in

using namespace gpu_stand_in;  // NOLINT(google-build-using-namespace): this file is its NCCL

int compiled_nccl_version() { return kVersion; }
int loaded_nccl_version() { return kVersion; }
const char* pin_nccl_ring() { return ""; }

NcclId make_nccl_id() {
  const std::scoped_lock lock(worlds_mutex);
  NcclId id;
  ++last_id;
  std::memcpy(id.bytes.data(), &last_id, sizeof(last_id));
  return id;
}

NcclComm join_nccl(const NcclId& id, int ranks, int rank) {
  if (*refusal.load() != '\0') throw Error(ExitCode::internal, refusal.load());
  auto comm = std::make_shared<FakeComm>();
  comm->world = world_of(id, ranks);
  comm->rank = rank;
  comm->world->join(selected_gpu());
  ++communicators;
  return {new std::shared_ptr<FakeComm>(std::move(comm))};
}

bool nccl_settled(NcclComm comm) {
  if (peer_is_lost) throw Error(ExitCode::internal, "remote process exited or there was a network error");
  return of(comm)->world->complete();
}

void finalize_nccl(NcclComm /*comm*/) {}
void destroy_nccl(NcclComm comm) { give_up(comm); }
void abort_nccl(NcclComm comm) noexcept {
  of(comm)->aborted = true;
  of(comm)->world->wake();
  while (of(comm)->in_graphs.use_count() > 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  give_up(comm);
}

// A group's operations just run one after the other.
void begin_nccl_group() {}
void end_nccl_group(NcclComm /*comm*/) {}
void drop_nccl_group() noexcept {}
void nccl_all_reduce(const Tensor& values, NcclComm comm, GpuStream stream) {
  put({.kind = Kind::all_reduce, .values = values}, comm, stream);
}
void nccl_reduce(const Tensor& values, int root, NcclComm comm, GpuStream stream) {
  put({.kind = Kind::reduce, .values = values, .root = root}, comm, stream);
}
void nccl_broadcast(const Tensor& values, int root, NcclComm comm, GpuStream stream) {
  put({.kind = Kind::broadcast, .values = values, .root = root}, comm, stream);
}
void nccl_reduce_scatter(const Tensor& values, int /*rank*/, int ranks, NcclComm comm, GpuStream stream) {
  LS_CHECK(values.count() % ranks == 0, "slices of different lengths");
  put({.kind = Kind::reduce_scatter, .values = values}, comm, stream);
}
void nccl_all_gather(const Tensor& values, int /*rank*/, int ranks, NcclComm comm, GpuStream stream) {
  LS_CHECK(values.count() % ranks == 0, "slices of different lengths");
  put({.kind = Kind::all_gather, .values = values}, comm, stream);
}

void* allocate_for_nccl(std::size_t bytes) { return allocate_on_gpu(bytes); }
void free_for_nccl(void* memory) noexcept { free_on_gpu(memory); }

void begin_registration(NcclRegistration& registration, void* memory, std::size_t /*bytes*/, NcclComm /*comm*/) {
  registration.window = memory;
}
void complete_registration(NcclRegistration& registration, void* memory, std::size_t /*bytes*/, NcclComm /*comm*/) {
  if (registration.window == nullptr) registration.handle = memory;
}
void end_registration(const NcclRegistration& /*registration*/, NcclComm /*comm*/) noexcept {}

}  // namespace lockstep
