#include "collective/mpi/mpi_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "collective/mpi/mpi_call.h"
#include "collective/mpi/mpi_exchange.h"
#include "collective/mpi/mpi_session.h"
#include "collective/window_access.h"

namespace lockstep {
namespace {

constexpr std::size_t kPartAlignment = 64;

// A flush() polls for this long without pause, then sleeps between polls: the target may need this core.
constexpr double kPollSeconds = 1e-4;
constexpr std::chrono::microseconds kSleep{50};

class MpiWindow final : public Window {
 public:
  MpiWindow(MpiSession& session, std::int64_t bytes)
      : session_(session),
        started_(static_cast<std::size_t>(session.size())),
        parts_(static_cast<std::size_t>(session.size())) {
    LS_CHECK(bytes >= 0, fmt::format("a window of {} bytes", bytes));
    const std::scoped_lock lock(session_.mutex());
    allocate(static_cast<std::size_t>(bytes));
    std::ranges::fill(memory_, std::byte{0});
    LS_MPI(MPI_Win_sync(window_), 0);
    // No rank has all parts, and makes its first access, before every rank has zeroed its own.
    const Part mine{bytes, memory_.data() - base_};
    LS_MPI(
        MPI_Allgather(&mine, sizeof(Part), MPI_BYTE, parts_.data(), sizeof(Part), MPI_BYTE, session_.handles().world),
        sizeof(Part));
  }

  int rank() const override { return session_.rank(); }
  int size() const override { return session_.size(); }
  std::span<std::byte> memory() override { return memory_; }
  std::int64_t bytes_of(int rank) const override { return part(rank).bytes; }

  void get(int target, std::int64_t offset, std::span<std::byte> into) override {
    MPI_Aint at = place(target, offset, into.size(), 1);
    in_mpi_pieces(into, [&](std::span<std::byte> piece) {
      const int count = static_cast<int>(piece.size());
      const std::scoped_lock lock(session_.mutex());
      LS_MPI(MPI_Rget(piece.data(), count, MPI_BYTE, target, at, count, MPI_BYTE, window_, start(target)), count);
      at += count;
    });
  }

  void put(int target, std::int64_t offset, std::span<const std::byte> from) override {
    MPI_Aint at = place(target, offset, from.size(), 1);
    in_mpi_pieces(from, [&](std::span<const std::byte> piece) {
      const int count = static_cast<int>(piece.size());
      const std::scoped_lock lock(session_.mutex());
      LS_MPI(MPI_Rput(piece.data(), count, MPI_BYTE, target, at, count, MPI_BYTE, window_, start(target)), count);
      at += count;
    });
  }

  void add(int target, std::int64_t offset, std::span<const float> values) override {
    MPI_Aint at = place(target, offset, values.size_bytes(), sizeof(float));
    in_mpi_pieces(std::as_bytes(values), [&](std::span<const std::byte> piece) {
      const int count = static_cast<int>(piece.size() / sizeof(float));
      const std::scoped_lock lock(session_.mutex());
      LS_MPI(MPI_Raccumulate(piece.data(), count, MPI_FLOAT, target, at, count, MPI_FLOAT, MPI_SUM, window_,
                             start(target)),
             count);
      at += static_cast<MPI_Aint>(piece.size());
    });
  }

  void read_added(int target, std::int64_t offset, std::span<float> into) override {
    MPI_Aint at = place(target, offset, into.size_bytes(), sizeof(float));
    in_mpi_pieces(std::as_writable_bytes(into), [&](std::span<std::byte> piece) {
      const int count = static_cast<int>(piece.size() / sizeof(float));
      const std::scoped_lock lock(session_.mutex());
      LS_MPI(MPI_Rget_accumulate(nullptr, 0, MPI_FLOAT, piece.data(), count, MPI_FLOAT, target, at, count, MPI_FLOAT,
                                 MPI_NO_OP, window_, start(target)),
             count);
      at += static_cast<MPI_Aint>(piece.size());
    });
  }

  void flush(int target) override {
    place(target, 0, 0, 1);
    const Stopwatch clock;
    while (!is_done(started_[static_cast<std::size_t>(target)])) {
      if (clock.seconds() > kPollSeconds) std::this_thread::sleep_for(kSleep);
    }
    const std::scoped_lock lock(session_.mutex());
    LS_MPI(MPI_Win_flush(target, window_), 0);
  }

  std::uint64_t fetch_add(int target, std::int64_t offset, std::uint64_t value) override {
    return fetch_and(MPI_SUM, target, offset, value);
  }

  std::uint64_t compare_swap(int target, std::int64_t offset, std::uint64_t expected, std::uint64_t desired) override {
    const MPI_Aint at = place(target, offset, sizeof(std::uint64_t), sizeof(std::uint64_t));
    std::uint64_t before = 0;
    const std::scoped_lock lock(session_.mutex());
    LS_MPI(MPI_Compare_and_swap(&desired, &expected, &before, MPI_UINT64_T, target, at, window_), 1);
    LS_MPI(MPI_Win_flush(target, window_), 1);
    return before;
  }

  std::uint64_t load(int target, std::int64_t offset) override { return fetch_and(MPI_NO_OP, target, offset, 0); }

  void store(int target, std::int64_t offset, std::uint64_t value) override {
    fetch_and(MPI_REPLACE, target, offset, value);
  }

  void refresh() override {
    const std::scoped_lock lock(session_.mutex());
    LS_MPI(MPI_Win_sync(window_), 0);
  }

  void progress() override { session_.drive(); }

  void close() override {
    LS_CHECK(std::ranges::all_of(started_, [](const auto& requests) { return requests.empty(); }),
             fmt::format("rank {} closes a window before it has flushed", rank()));
    const std::scoped_lock lock(session_.mutex());
    LS_MPI(MPI_Win_unlock_all(window_), 0);
    LS_MPI(MPI_Win_free(&window_), 0);
  }

 private:
  struct Part {
    std::int64_t bytes;
    MPI_Aint begin;  // its place in the rank's memory as MPI knows it
  };

  // MPI aligns to 16 bytes or less (its processes on one host share one block), so there is room to shift the part.
  void allocate(std::size_t bytes) {
    std::size_t room = bytes + kPartAlignment;
    LS_MPI(MPI_Win_allocate(static_cast<MPI_Aint>(room), 1, MPI_INFO_NULL, session_.handles().world, &base_, &window_),
           static_cast<std::int64_t>(room));
    LS_MPI(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN), 0);
    LS_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), 0);  // no rank ever asks for an exclusive lock
    void* begin = base_;
    std::align(kPartAlignment, bytes, begin, room);
    memory_ = {static_cast<std::byte*>(begin), bytes};
  }

  const Part& part(int rank) const { return parts_[static_cast<std::size_t>(rank)]; }

  // Returns the target's displacement for MPI, once the access has been checked.
  MPI_Aint place(int target, std::int64_t offset, std::size_t bytes, std::int64_t alignment) const {
    check_window_access(*this, target, offset, static_cast<std::int64_t>(bytes), alignment);
    return part(target).begin + static_cast<MPI_Aint>(offset);
  }

  // The request of a transfer to start.
  MPI_Request* start(int target) { return &started_[static_cast<std::size_t>(target)].emplace_back(MPI_REQUEST_NULL); }

  // Takes away the requests that are done; returns whether none is left.
  bool is_done(std::vector<MPI_Request>& requests) {
    const std::scoped_lock lock(session_.mutex());
    while (!requests.empty()) {
      int done = 0;
      LS_MPI(MPI_Test(&requests.back(), &done, MPI_STATUS_IGNORE), 1);
      if (done == 0) return false;
      requests.pop_back();
    }
    return true;
  }

  std::uint64_t fetch_and(MPI_Op operation, int target, std::int64_t offset, std::uint64_t value) {
    const MPI_Aint at = place(target, offset, sizeof(std::uint64_t), sizeof(std::uint64_t));
    std::uint64_t before = 0;
    const std::scoped_lock lock(session_.mutex());
    LS_MPI(MPI_Fetch_and_op(&value, &before, MPI_UINT64_T, target, at, operation, window_), 1);
    LS_MPI(MPI_Win_flush(target, window_), 1);
    return before;
  }

  MpiSession& session_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* base_ = nullptr;
  std::span<std::byte> memory_;
  std::vector<std::vector<MPI_Request>> started_;  // for each target, what it has not been flushed of
  std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<Window> make_mpi_window(MpiSession& session, std::int64_t bytes) {
  return std::make_unique<MpiWindow>(session, bytes);
}

}  // namespace lockstep
