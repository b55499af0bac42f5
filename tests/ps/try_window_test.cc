// The trials of windows: by put and get, and by what is added.
#include "ps/try_window.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ps/try_added.h"
#include "ps/window_layout.h"
#include "support/ranks.h"

namespace lockstep {
namespace {

constexpr int kCopies = 3;

// Forwards to another window, but loses or spoils what `fault` says.
class FaultyWindow final : public Window {
 public:
  enum class Fault { none, put_is_lost, get_is_old, add_is_lost, sum_is_old };

  FaultyWindow(Window& window, Fault fault) : window_(window), fault_(fault) {}

  int rank() const override { return window_.rank(); }
  int size() const override { return window_.size(); }
  std::span<std::byte> memory() override { return window_.memory(); }
  std::int64_t bytes_of(int rank) const override { return window_.bytes_of(rank); }
  void get(int target, std::int64_t offset, std::span<std::byte> into) override {
    if (fault_ != Fault::get_is_old) window_.get(target, offset, into);
  }
  void put(int target, std::int64_t offset, std::span<const std::byte> from) override {
    if (fault_ != Fault::put_is_lost) window_.put(target, offset, from);
  }
  void add(int target, std::int64_t offset, std::span<const float> values) override {
    if (fault_ != Fault::add_is_lost) window_.add(target, offset, values);
  }
  void read_added(int target, std::int64_t offset, std::span<float> into) override {
    if (fault_ != Fault::sum_is_old) window_.read_added(target, offset, into);
  }
  void flush(int target) override { window_.flush(target); }
  std::uint64_t fetch_add(int target, std::int64_t offset, std::uint64_t value) override {
    return window_.fetch_add(target, offset, value);
  }
  std::uint64_t compare_swap(int target, std::int64_t offset, std::uint64_t expected, std::uint64_t desired) override {
    return window_.compare_swap(target, offset, expected, desired);
  }
  std::uint64_t load(int target, std::int64_t offset) override { return window_.load(target, offset); }
  void store(int target, std::int64_t offset, std::uint64_t value) override { window_.store(target, offset, value); }
  void refresh() override { window_.refresh(); }
  void progress() override { window_.progress(); }
  void close() override { window_.close(); }

 private:
  Window& window_;
  Fault fault_;
};

// A group with so many servers, whose ranges are longer and shorter than what the trial writes.
PsGroup group_with(int servers, int ranks) {
  PsGroup group{.clients = ranks - servers, .ranges = {}};
  std::int64_t begin = 0;
  for (int server = 0; server < servers; ++server) {
    const std::int64_t count = server == 0 ? 5003 : 7;
    group.ranges.push_back({begin, begin + count});
    begin += count;
  }
  return group;
}

// Calls body with a window for each number of servers that leaves a client.
template <class Body>
void for_windows(Body body) {
  for_rank_contexts([&](RankContext& context) {
    const int ranks = context.communicator.size();
    for (int servers = 1; servers < std::min(ranks, 4); ++servers) {
      const PsGroup group = group_with(servers, ranks);
      const int server = context.communicator.rank() - group.clients;
      const std::int64_t bytes =
          server < 0 ? 0 : WindowLayout(group.range(server).count(), kCopies, group.clients, group.wire_dtype).bytes();
      const auto window = make_window(context, bytes);
      body(context.communicator, *window, group);
      meet(context.communicator);
      window->close();
    }
  });
}

TEST_CASE("a window that works is found to work, and holds zeros afterwards") {
  for_windows([](Communicator& ranks, Window& window, const PsGroup& group) {
    CHECK(try_window(window, ranks, group, kCopies).empty());
    window.refresh();
    CHECK(std::ranges::all_of(window.memory(), [](std::byte byte) { return byte == std::byte{0}; }));
  });
  for_windows([](Communicator& ranks, Window& window, const PsGroup& group) {
    CHECK(try_added(window, ranks, group).empty());
    window.refresh();
    CHECK(std::ranges::all_of(window.memory(), [](std::byte byte) { return byte == std::byte{0}; }));
  });
}

TEST_CASE("what is lost on the way through a window is seen") {
  using enum FaultyWindow::Fault;
  for (const auto fault : {put_is_lost, get_is_old}) {
    for_windows([&](Communicator& ranks, Window& window, const PsGroup& group) {
      FaultyWindow faulty(window, ranks.rank() == 0 ? fault : none);
      const std::string wrong = try_window(faulty, ranks, group, kCopies);
      if (ranks.rank() == 0) {
        CHECK(wrong.find("rank 0 has found other bytes in the memory of rank " + std::to_string(group.clients)) == 0);
      } else {
        // A server misses what client 0 should have written.
        CHECK(wrong.empty() == (fault != put_is_lost || ranks.rank() < group.clients));
      }
    });
  }
}

TEST_CASE("what is lost of what clients add to a window is seen") {
  using enum FaultyWindow::Fault;
  for (const auto fault : {add_is_lost, sum_is_old}) {
    for_windows([&](Communicator& ranks, Window& window, const PsGroup& group) {
      FaultyWindow faulty(window, ranks.rank() == 0 ? fault : none);
      const std::string wrong = try_added(faulty, ranks, group);
      CHECK(wrong.empty() == (fault == sum_is_old && ranks.rank() != 0));
      if (!wrong.empty()) CHECK(wrong.find(" has found other numbers in the memory of rank ") != std::string::npos);
    });
  }
}

}  // namespace
}  // namespace lockstep
