#include "measurement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>

#include "base/clock.h"
#include "base/median.h"
#include "collective/slices.h"

namespace lockstep::bench {
namespace {

constexpr int kRounds = 10;
constexpr double kMostCalls = 5000;  // per turn

double now_us() { return static_cast<double>(monotonic_ns()) * 1e-3; }

enum class Clocked { calls, turns };

// A call to be timed: each call by itself, or all calls of a turn together, which gives their mean.
struct Subject {
  std::function<void()> call;
  Clocked clocked = Clocked::calls;
  int parts = 1;  // repetitions within one call; times are per repetition
  std::int64_t calls = 1;
  std::vector<double> us{};  // times in all turns, in order
};

double largest(Communicator& world, double mine) { return std::ranges::max(all_gather_value(world, mine)); }

// Warms up and sets the number of calls per turn, the same on every rank.
void prepare(Communicator& world, Subject& subject, double seconds) {
  std::array<double, 3> us{};
  world.barrier();
  for (double& one : us) {
    const double begin = now_us();
    subject.call();
    one = now_us() - begin;
  }
  std::ranges::sort(us);
  const double turn_us = seconds * 1e6 / kRounds;
  subject.calls = static_cast<std::int64_t>(std::clamp(turn_us / largest(world, us[1]), 1.0, kMostCalls));
  subject.us.reserve(static_cast<std::size_t>(subject.calls * kRounds));
}

void take_turn(Communicator& world, Subject& subject) {
  world.barrier();
  subject.call();
  const double begin = now_us();
  double before = begin;
  for (std::int64_t i = 0; i < subject.calls; ++i) {
    subject.call();
    if (subject.clocked == Clocked::turns) continue;
    const double now = now_us();
    subject.us.push_back(now - before);
    before = now;
  }
  if (subject.clocked == Clocked::turns) {
    subject.us.push_back((now_us() - begin) / static_cast<double>(subject.calls * subject.parts));
  }
}

Times times_of(Communicator& world, std::vector<double>& us) {
  std::ranges::sort(us);
  const auto percentile = [&](double share) {
    return us[static_cast<std::size_t>(std::ceil(share * static_cast<double>(us.size()))) - 1];
  };
  return {.best = largest(world, us.front()),
          .mean = largest(world, std::accumulate(us.begin(), us.end(), 0.0) / static_cast<double>(us.size())),
          .p50 = largest(world, percentile(0.5)),
          .p99 = largest(world, percentile(0.99))};
}

// REQUIRES: the calls are in the order of turns.
std::vector<double> round_medians(Communicator& world, Subject& subject) {
  std::vector<double> medians;
  medians.reserve(kRounds);
  const auto calls = static_cast<std::size_t>(subject.calls);
  for (std::size_t round = 0; round < kRounds; ++round) {
    const auto turn = std::span(subject.us).subspan(round * calls, calls);
    medians.push_back(largest(world, median({turn.begin(), turn.end()})));
  }
  return medians;
}

// One implementation with memory of its own. Calls it and checks its values.
class Participant {
 public:
  Participant(Implementation& implementation, const Case& c)
      : implementation_(implementation),
        case_(c),
        slices_(equal_slices(c.count(), c.ranks)),
        memory_(implementation.allocate(static_cast<std::size_t>(c.bytes))),
        values_(view(memory_, c.dtype, {c.count()})) {}

  void call() { implementation_.run(case_, values_, slices_); }

  // Returns the number of wrong elements on all ranks. COLLECTIVE. Leaves zeros, which stay zeros however often they
  // are added up.
  std::int64_t check(Communicator& world) {
    fill(case_, values_, slices_);
    world.barrier();
    call();
    const FlatRange mine = slices_[static_cast<std::size_t>(case_.rank)];
    const bool slice_only = case_.op == Collective::reduce_scatter;
    const std::int64_t wrong =
        slice_only ? count_wrong(implementation_.own_slice(values_, mine), mine.begin) : count_wrong(values_, 0);
    world.barrier();  // others may still read these values where memory is shared
    std::memset(values_.data(), 0, values_.bytes());
    const std::vector<std::int64_t> all = all_gather_value(world, wrong);
    return std::accumulate(all.begin(), all.end(), std::int64_t{0});
  }

 private:
  Implementation& implementation_;
  Case case_;
  std::vector<FlatRange> slices_;
  Buffer memory_;
  Tensor values_;
};

// a += b, or a copy of b to a; a and b are halves of as many bytes as the case has. Small sizes are repeated within a
// call.
class MemoryPass {
 public:
  MemoryPass(Backend& backend, const Case& c)
      : backend_(backend),
        adds_(sums(c.op)),
        count_(std::max<std::int64_t>(1, c.bytes / 2 / static_cast<std::int64_t>(sizeof(float)))),
        repeats_(static_cast<int>(std::clamp<std::int64_t>(kLeastBytes / c.bytes, 1, kMostRepeats))),
        memory_(backend.allocator().allocate(static_cast<std::size_t>(2 * count_) * sizeof(float))) {
    const Tensor both = view(memory_, DType::float32, {2 * count_});
    a_ = both.flat({0, count_});
    b_ = both.flat({count_, 2 * count_});
  }

  void call() {
    for (int i = 0; i < repeats_; ++i) {
      if (adds_) {
        backend_.add(b_, a_);
      } else {
        backend_.copy(b_, a_);
      }
    }
  }

  int repeats() const { return repeats_; }
  double bytes_moved() const { return static_cast<double>(count_) * sizeof(float) * (adds_ ? 3 : 2); }

 private:
  static constexpr std::int64_t kLeastBytes = 1 << 16;
  static constexpr std::int64_t kMostRepeats = 200;

  Backend& backend_;
  bool adds_;
  std::int64_t count_;
  int repeats_;
  Buffer memory_;
  Tensor a_;
  Tensor b_;
};

Times scaled(const Times& times, double factor) {
  return {
      .best = times.best * factor, .mean = times.mean * factor, .p50 = times.p50 * factor, .p99 = times.p99 * factor};
}

}  // namespace

std::vector<Result> measure(Communicator& world, Backend& backend, const Implementations& implementations,
                            const Case& c, double seconds) {
  std::vector<Participant> participants;
  std::vector<Result> results;
  std::vector<Subject> subjects;
  participants.reserve(implementations.size());  // subjects refer to them
  for (const auto& [name, implementation] : implementations) {
    Participant& participant = participants.emplace_back(*implementation, c);
    results.push_back({.backend = name, .wrong = participant.check(world)});
    subjects.push_back({.call = [&participant] { participant.call(); }});
  }
  MemoryPass pass(backend, c);
  // Clocked by turns: ranks that share a core take turns, so only the time until all are done counts; a single call
  // looks faster.
  subjects.push_back({.call = [&pass] { pass.call(); }, .clocked = Clocked::turns, .parts = pass.repeats()});

  for (Subject& subject : subjects) prepare(world, subject, seconds);
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t turn = 0; turn < subjects.size(); ++turn) {
      take_turn(world, subjects[(round + turn) % subjects.size()]);
    }
  }

  const Times limit = scaled(times_of(world, subjects.back().us), least_bytes_moved(c) / pass.bytes_moved());
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].round_us = round_medians(world, subjects[i]);
    results[i].times = times_of(world, subjects[i].us);
    results[i].limit = limit;
    results[i].wrong += participants[i].check(world);
  }
  return results;
}

}  // namespace lockstep::bench
