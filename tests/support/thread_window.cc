#include "support/thread_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "collective/shm/memory_file.h"
#include "collective/window_access.h"

namespace lockstep {
namespace {

struct ThreadPart {
  std::shared_ptr<std::byte> memory;
  std::int64_t bytes = 0;
  std::atomic<std::uint64_t> fence = 0;

  // What any thread did before its call has happened before what another does after a later call.
  void order() { fence.fetch_add(1, std::memory_order_acq_rel); }
};
using ThreadParts = std::vector<ThreadPart>;

class ThreadWindow final : public Window {
 public:
  ThreadWindow(Communicator& communicator, std::shared_ptr<ThreadParts> parts)
      : communicator_(communicator),
        parts_(std::move(parts)),
        started_(static_cast<std::size_t>(communicator.size())) {}

  int rank() const override { return communicator_.rank(); }
  int size() const override { return communicator_.size(); }
  std::span<std::byte> memory() override {
    return {part(rank()).memory.get(), static_cast<std::size_t>(part(rank()).bytes)};
  }
  std::int64_t bytes_of(int rank) const override { return part(rank).bytes; }

  void get(int target, std::int64_t offset, std::span<std::byte> into) override {
    const std::byte* const at = place(target, offset, into.size(), 1);
    start(target, [at, into] { std::copy_n(at, into.size(), into.data()); });
  }

  void put(int target, std::int64_t offset, std::span<const std::byte> from) override {
    std::byte* const at = place(target, offset, from.size(), 1);
    start(target, [at, from] { std::ranges::copy(from, at); });
  }

  void add(int target, std::int64_t offset, std::span<const float> values) override {
    auto* const at = reinterpret_cast<float*>(place(target, offset, values.size_bytes(), sizeof(float)));
    start(target, [at, values] {
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::atomic_ref(at[i]).fetch_add(values[i], std::memory_order_relaxed);
      }
    });
  }

  void read_added(int target, std::int64_t offset, std::span<float> into) override {
    auto* const at = reinterpret_cast<float*>(place(target, offset, into.size_bytes(), sizeof(float)));
    start(target, [at, into] {
      for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::atomic_ref(at[i]).load(std::memory_order_relaxed);
    });
  }

  void flush(int target) override {
    place(target, 0, 0, 1);
    part(target).order();
    for (const auto& transfer : started_[static_cast<std::size_t>(target)]) transfer();
    started_[static_cast<std::size_t>(target)].clear();
    part(target).order();
  }

  std::uint64_t fetch_add(int target, std::int64_t offset, std::uint64_t value) override {
    return word(target, offset).fetch_add(value);
  }

  std::uint64_t compare_swap(int target, std::int64_t offset, std::uint64_t expected, std::uint64_t desired) override {
    word(target, offset).compare_exchange_strong(expected, desired);
    return expected;
  }

  std::uint64_t load(int target, std::int64_t offset) override { return word(target, offset).load(); }
  void store(int target, std::int64_t offset, std::uint64_t value) override { word(target, offset).store(value); }

  void refresh() override { part(rank()).order(); }
  void progress() override {}

  void close() override {
    LS_CHECK(std::ranges::all_of(started_, [](const auto& transfers) { return transfers.empty(); }),
             fmt::format("rank {} closes a window before it has flushed", rank()));
    communicator_.barrier();
  }

 private:
  ThreadPart& part(int rank) const { return (*parts_)[static_cast<std::size_t>(rank)]; }

  std::byte* place(int target, std::int64_t offset, std::size_t bytes, std::int64_t alignment) const {
    check_window_access(*this, target, offset, static_cast<std::int64_t>(bytes), alignment);
    return part(target).memory.get() + offset;
  }

  std::atomic_ref<std::uint64_t> word(int target, std::int64_t offset) const {
    constexpr std::size_t kBytes = sizeof(std::uint64_t);
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(place(target, offset, kBytes, kBytes)));
  }

  void start(int target, std::function<void()> transfer) {
    started_[static_cast<std::size_t>(target)].push_back(std::move(transfer));
  }

  Communicator& communicator_;
  std::shared_ptr<ThreadParts> parts_;
  std::vector<std::vector<std::function<void()>>> started_;  // for each target
};

}  // namespace

std::unique_ptr<Window> make_thread_window(Communicator& communicator, std::int64_t bytes) {
  LS_CHECK(bytes >= 0, fmt::format("a window of {} bytes", bytes));
  std::shared_ptr<ThreadParts> parts;
  if (communicator.rank() == 0) parts = std::make_shared<ThreadParts>(static_cast<std::size_t>(communicator.size()));
  const std::shared_ptr<ThreadParts>* first = &parts;
  broadcast_value(communicator, first, 0);
  if (communicator.rank() != 0) parts = *first;
  ThreadPart& mine = (*parts)[static_cast<std::size_t>(communicator.rank())];
  mine.memory = heap_memory(static_cast<std::size_t>(std::max(bytes, std::int64_t{1})));
  mine.bytes = bytes;
  communicator.barrier();
  return std::make_unique<ThreadWindow>(communicator, std::move(parts));
}

}  // namespace lockstep
