#include "collective/nccl/nccl_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "base/error.h"

namespace lockstep {
namespace {

enum class Joining : std::uint8_t { under_way, done, failed };

// Preparing calls takes microseconds in a step, for which a sleep would be too long, and up to seconds the first time.
constexpr std::chrono::microseconds kWithoutSleep{200};
constexpr std::chrono::microseconds kBetweenLooks{50};
constexpr std::chrono::milliseconds kBetweenRounds{2};

}  // namespace

// The ranks tell each other how it goes until all are done or one has failed: NCCL itself would wait for a rank that
// has failed.
std::shared_ptr<NcclRank> NcclRank::join(Communicator& group, int gpu, Memory memory, std::function<void()> drive) {
  select_gpu(gpu);
  std::string why;
  NcclId id;
  if (group.rank() == 0) {
    try {
      id = make_nccl_id();
    } catch (const Error& error) {
      why = error.what();
    }
  }
  why = first_text(group, why);
  if (!why.empty()) throw Error(ExitCode::configuration, why, Scope::every_rank);
  broadcast_value(group, id, 0);

  NcclComm comm;
  Joining mine = Joining::under_way;
  const auto go_on = [&] {
    try {
      if (comm.handle == nullptr) comm = join_nccl(id, group.size(), group.rank());
      if (nccl_settled(comm)) mine = Joining::done;
    } catch (const Error& error) {
      why = error.what();
      mine = Joining::failed;
    }
  };
  std::vector<Joining> all;
  do {
    if (!all.empty()) std::this_thread::sleep_for(kBetweenRounds);
    if (mine == Joining::under_way) go_on();
    all = all_gather_value(group, mine);
  } while (std::ranges::count(all, Joining::failed) == 0 && std::ranges::count(all, Joining::under_way) > 0);
  why = first_text(group, why);
  if (!why.empty()) {
    if (comm.handle != nullptr) abort_nccl(comm);
    throw Error(ExitCode::configuration, why, Scope::every_rank);
  }
  return std::make_shared<NcclRank>(comm, gpu, memory, std::move(drive));
}

NcclRank::NcclRank(NcclComm comm, int gpu, Memory memory, std::function<void()> drive)
    : comm_(comm), gpu_(gpu), memory_(memory), drive_(std::move(drive)), abort_([this](const std::stop_token& stop) {
        abort_when_told(stop);
      }) {}

void NcclRank::throw_if_gone() const {
  if (comm_.handle == nullptr) throw Error(ExitCode::internal, fmt::format("nccl: {}", gone_));
}

void NcclRank::settle(std::unique_lock<std::mutex>& lock) {
  throw_if_gone();
  const auto begin = std::chrono::steady_clock::now();
  while (!nccl_settled(comm_)) {
    lock.unlock();
    if (drive_) drive_();
    if (std::chrono::steady_clock::now() - begin < kWithoutSleep) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kBetweenLooks);
    }
    lock.lock();
    throw_if_gone();
  }
}

void NcclRank::call(const std::function<void(NcclComm)>& calls) {
  std::unique_lock lock(mutex_);
  throw_if_gone();
  calls(comm_);
  settle(lock);
}

void NcclRank::check_alive() {
  const std::scoped_lock lock(mutex_);
  throw_if_gone();
}

bool NcclRank::check() noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    if (comm_.handle != nullptr) nccl_settled(comm_);
    return comm_.handle != nullptr;
  } catch (const std::exception& error) {
    abort(error.what());
    return false;
  }
}

void NcclRank::abort(const std::string& why) noexcept {
  const std::scoped_lock lock(mutex_);
  if (comm_.handle == nullptr) return;
  gone_ = why;
  aborting_ = std::exchange(comm_, {});
  changed_.notify_all();
}

void NcclRank::abort_when_told(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait(lock, stop, [this] { return aborting_.handle != nullptr; })) return;
  lock.unlock();
  abort_nccl(aborting_);
  lock.lock();
  aborting_ = {};
  changed_.notify_all();
}

// Registration is an acceleration, which a driver or a container may refuse. Without it everything works as before.
void NcclRank::register_memory(void* memory, std::size_t bytes) {
  std::unique_lock lock(mutex_);
  throw_if_gone();
  NcclRegistration& registration = registered_[memory];
  if (memory_ == Memory::windows) {
    begin_registration(registration, memory, bytes, comm_);
    settle(lock);
  }
  complete_registration(registration, memory, bytes, comm_);
  settle(lock);
}

void NcclRank::forget_memory(void* memory) noexcept {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return aborting_.handle == nullptr; });
  const auto found = registered_.find(memory);
  if (found == registered_.end()) return;
  if (comm_.handle != nullptr) end_registration(found->second, comm_);
  registered_.erase(found);
}

NcclRank::Registered NcclRank::registered() {
  const std::scoped_lock lock(mutex_);
  Registered registered;
  for (const auto& [memory, registration] : registered_) {
    if (registration.window != nullptr) ++registered.windows;
    if (registration.handle != nullptr) ++registered.buffers;
  }
  return registered;
}

void NcclRank::close() {
  std::unique_lock lock(mutex_);
  throw_if_gone();
  for (const auto& [memory, registration] : registered_) end_registration(registration, comm_);
  registered_.clear();
  settle(lock);
  finalize_nccl(comm_);
  settle(lock);
  destroy_nccl(std::exchange(comm_, {}));
  gone_ = "the communicator is closed";
}

}  // namespace lockstep
