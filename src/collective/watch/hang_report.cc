#include "collective/watch/hang_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {
namespace {

double seconds_since(std::int64_t then_ns, std::int64_t now_ns) {
  return static_cast<double>(std::max<std::int64_t>(now_ns - then_ns, 0)) * 1e-9;
}

std::string duration(double seconds) { return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 1 : 0); }

std::string size(std::int64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  if (bytes < 10'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) * 1e-3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6);
}

std::string operation_text(const RankStatus& status) {
  if (status.bytes == 0) return name(status.operation);
  return fmt::format("{} of {}", name(status.operation), size(status.bytes));
}

// The ranks as text: "rank 3", "ranks 1, 2 and 5".
std::string rank_list(const std::vector<RankStatus>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks.front().rank);
  std::string text = "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i > 0) text += i + 1 == ranks.size() ? " and " : ", ";
    text += std::to_string(ranks[i].rank);
  }
  return text;
}

// Returns whether two ranks may be in the same collective. In an exchange each rank has sizes of its own.
bool same_call(const RankStatus& one, const RankStatus& other) {
  return one.operation == other.operation && (one.bytes == other.bytes || one.operation == Operation::exchange);
}

// The ranks that hold up the waiter: those that have not come to its collective and, if such a rank waits itself in
// another group, those that have not come to that one's, and so on.
struct Held {
  std::vector<const RankStatus*> waiting;  // the waiter first
  std::vector<const RankStatus*> late;     // in no collective

  bool by_all() const {  // a deadlock: each waiting rank waits for another one of them
    return late.empty() && std::ranges::all_of(waiting, [this](const RankStatus* waiter) {
             return std::ranges::any_of(waiting, [&](const RankStatus* other) { return missing(*other, *waiter); });
           });
  }
};

Held held_up(const HangFacts& facts) {
  Held held{.waiting = {&facts.waiter}, .late = {}};
  const auto add_once = [](std::vector<const RankStatus*>& ranks, const RankStatus& status) {
    if (std::ranges::find(ranks, status.rank, &RankStatus::rank) == ranks.end()) ranks.push_back(&status);
  };
  for (std::size_t i = 0; i < held.waiting.size(); ++i) {
    for (const RankStatus& status : facts.ranks) {
      if (missing(status, *held.waiting[i])) add_once(status.waiting() ? held.waiting : held.late, status);
    }
  }
  return held;
}

// Returns whether the rank waits in another collective than the waiter, and nothing to come can change that.
bool in_another(const RankStatus& status, const RankStatus& waiter, const Held& held) {
  return elsewhere(status, waiter) || (missing(status, waiter) && status.waiting() && held.by_all());
}

const char* verdict(const RankStatus& status, const RankStatus& waiter, const Held& held) {
  if (status.stopped()) return "STOPPED";
  if (!waiter.waiting()) return status.rank == waiter.rank ? "LATE" : "";
  if (!in_group(status, waiter)) return "";  // it is not waited for
  if (in_another(status, waiter, held)) return "IN ANOTHER ONE";
  return arrived(status, waiter) ? "arrived" : "DID NOT ARRIVE";
}

std::string table(const HangFacts& facts) {
  std::string text = fmt::format("  {:>5} {:>9}  {:<12} {:>8}  {:<30} {:>8}\n", "rank", "step", "phase", "since",
                                 "collective", "since");
  const Held held = held_up(facts);
  for (const RankStatus& status : facts.ranks) {
    const std::string in = status.waiting() ? operation_text(status) : "none; the last one ended";
    text +=
        fmt::format("  {:>5} {:>9}  {:<12} {:>8}  {:<30} {:>8}  {}\n", status.rank, status.step, name(status.phase),
                    duration(status.phase_s), in, duration(status.operation_s), verdict(status, facts.waiter, held));
  }
  return text;
}

// Returns whether the program is to blame: no rank is stopped, and the calls they wait in differ.
bool calls_differ(const HangFacts& facts) {
  const Held held = held_up(facts);
  const auto differs = [&](const RankStatus& status) { return in_another(status, facts.waiter, held); };
  return std::ranges::none_of(facts.ranks, &RankStatus::stopped) && std::ranges::any_of(facts.ranks, differs);
}

// The ranks whose calls do not match, including the waiter and those in the same call.
std::vector<RankStatus> ranks_that_differ(const HangFacts& facts) {
  std::vector<RankStatus> ranks{facts.waiter};
  const Held held = held_up(facts);
  for (const RankStatus& status : facts.ranks) {
    if (status.rank == facts.waiter.rank || !status.waiting()) continue;
    const bool with_waiter = arrived(status, facts.waiter) && same_call(status, facts.waiter);
    const bool in_circle =
        held.by_all() && std::ranges::find(held.waiting, status.rank, &RankStatus::rank) != held.waiting.end();
    if (with_waiter || elsewhere(status, facts.waiter) || in_circle) ranks.push_back(status);
  }
  std::ranges::sort(ranks, {}, &RankStatus::rank);
  return ranks;
}

// Tells who is in which collective: "ranks 0 and 2 all-reduce of 36 bytes, rank 1 MPI_Finalize".
std::string calls_text(const HangFacts& facts) {
  std::vector<std::vector<RankStatus>> calls;
  for (const RankStatus& status : ranks_that_differ(facts)) {
    const auto call = std::ranges::find_if(
        calls, [&status](const auto& ranks) { return ranks[0].group == status.group && same_call(ranks[0], status); });
    if (call == calls.end()) {
      calls.push_back({status});
    } else {
      call->push_back(status);
    }
  }
  std::string text;
  for (const std::vector<RankStatus>& ranks : calls) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", rank_list(ranks), operation_text(ranks[0]));
  }
  return text;
}

std::string cure(const HangFacts& facts) {
  if (calls_differ(facts)) {
    return "What to do: all ranks of a group have to make the same collective calls, in the same order and of the same "
           "size. Look for a call that not every rank reaches (if (rank == 0), a loop over as many batches as this "
           "rank has); the last collectives show where the ranks part. A larger --hang_timeout does not help.\n";
  }
  return fmt::format(
      "What to do: look at the rank that is missing (ps, top). State T is a stopped process: kill -CONT wakes it. One "
      "that waits for a disk, swaps or was killed has its reason on its host. If it only needs longer, give a larger "
      "--hang_timeout than {} (in a program of your own, Job::Options has hang_timeout_s).\n",
      duration(facts.hang_timeout_s));
}

// Lines on the ranks whose watchdogs do not tick: they were stopped inside the collective or before it.
std::string stopped_ranks(const HangFacts& facts) {
  std::string text;
  for (const RankStatus& status : facts.ranks) {
    if (!status.stopped()) continue;
    text += fmt::format("Rank {} on {} is stopped: no sign of life for {}; it is at step {}, in phase {}.\n",
                        status.rank, facts.host, duration(status.silent_s), status.step, name(status.phase));
  }
  return text;
}

std::vector<RankStatus> members(const HangFacts& facts, const RankStatus& waiter) {
  std::vector<RankStatus> members;
  std::ranges::copy_if(facts.ranks, std::back_inserter(members),
                       [&waiter](const RankStatus& status) { return in_group(status, waiter); });
  return members;
}

// The text " in the group of ranks 2 and 3" if some ranks of this host are in that group and some are not, else "".
std::string group_text(const HangFacts& facts, const RankStatus& waiter) {
  const std::vector<RankStatus> all = members(facts, waiter);
  if (all.empty() || all.size() == facts.ranks.size()) return "";
  return fmt::format(" in the group of {}", rank_list(all));
}

// The ranks that did not come and are in no collective, ordered by rank; if there are none, the waiting ranks that
// others wait for.
std::vector<RankStatus> ranks_to_blame(const HangFacts& facts) {
  Held held = held_up(facts);
  if (held.late.empty()) {
    for (const RankStatus* const status : held.waiting) {
      const auto misses = [status](const RankStatus* waiter) { return missing(*status, *waiter); };
      if (std::ranges::any_of(held.waiting, misses)) held.late.push_back(status);
    }
  }
  std::ranges::sort(held.late, {}, &RankStatus::rank);
  std::vector<RankStatus> ranks;
  ranks.reserve(held.late.size());
  for (const RankStatus* status : held.late) ranks.push_back(*status);
  return ranks;
}

// Tells who is to blame, as far as this host can see.
std::string conclusion(const HangFacts& facts) {
  if (std::string stopped = stopped_ranks(facts); !stopped.empty()) return stopped;
  if (calls_differ(facts)) {
    return fmt::format("Ranks wait in different collectives: {}: a rank left out or added a call.\n",
                       calls_text(facts));
  }
  const std::vector<RankStatus> missing = ranks_to_blame(facts);
  if (missing.size() == 1) {
    const RankStatus& status = missing.front();
    return fmt::format("Rank {} on {} did not arrive: it is at step {}, for {} in phase {}.\n", status.rank, facts.host,
                       status.step, duration(status.phase_s), name(status.phase));
  }
  if (!missing.empty()) {
    std::string who = rank_list(missing);
    who.front() = 'R';
    return fmt::format("{} on {} did not arrive.\n", who, facts.host);
  }
  const std::size_t seen = members(facts, facts.waiter).size();
  if (seen == 0)
    return "Who is missing is not known: this rank is in more groups than the status page has places for.\n";
  if (static_cast<int>(facts.ranks.size()) < facts.world_size) {
    return fmt::format(
        "{} that can be seen on {} did arrive; the reports of the other hosts show who did not. A host without a "
        "report is stopped, down or cut off.\n",
        seen == 1 ? "The one rank" : fmt::format("All {} ranks", seen), facts.host);
  }
  return "All ranks have arrived: one of them was stopped inside the collective, or the network does not carry it.\n";
}

std::string indented(const std::string& lines) {
  std::string text;
  std::size_t begin = 0;
  while (begin < lines.size()) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    text += "  " + lines.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return text;
}

}  // namespace

std::vector<RankStatus> read_status(std::span<const StatusLine> lines, std::int64_t now_ns) {
  std::vector<RankStatus> ranks;
  for (const StatusLine& line : lines) {
    RankStatus status;
    status.rank = line.rank.load(std::memory_order_acquire);
    if (status.rank < 0) continue;
    status.sequence = line.sequence.load(std::memory_order_acquire);  // first: the writer stores it last
    status.group = line.group.load();
    status.group_sequence = line.group_sequence.load();
    for (std::size_t place = 0; place < line.groups.size(); ++place) {
      status.groups[place].number = line.groups[place].number.load(std::memory_order_acquire);
      status.groups[place].entered = line.groups[place].entered.load(std::memory_order_acquire);
    }
    status.step = line.step.load();
    status.phase = line.phase.load();
    status.phase_s = seconds_since(line.phase_since_ns.load(), now_ns);
    status.operation = line.operation.load();
    status.operation_s = seconds_since(line.operation_since_ns.load(), now_ns);
    status.bytes = line.bytes.load();
    const std::int64_t alive_ns = line.alive_ns.load();
    if (alive_ns != 0) status.silent_s = seconds_since(alive_ns, now_ns);
    ranks.push_back(status);
  }
  return ranks;
}

bool in_group(const RankStatus& other, const RankStatus& waiter) {
  return waiter.group != kNoGroup &&
         std::ranges::find(other.groups, waiter.group, &RankStatus::Group::number) != other.groups.end();
}

bool arrived(const RankStatus& other, const RankStatus& waiter) {
  return in_group(other, waiter) && !missing(other, waiter);
}

bool missing(const RankStatus& other, const RankStatus& waiter) {
  const auto group = std::ranges::find(other.groups, waiter.group, &RankStatus::Group::number);
  if (waiter.group == kNoGroup || group == other.groups.end()) return false;
  return static_cast<std::int32_t>(group->entered - waiter.group_sequence) < 0;  // the count may wrap around
}

bool elsewhere(const RankStatus& other, const RankStatus& waiter) {
  if (!other.waiting() || !waiter.waiting() || waiter.group == kNoGroup || other.group != waiter.group) return false;
  if (other.operation == Operation::finalize || waiter.operation == Operation::finalize) {
    return other.operation != waiter.operation;  // nothing comes after it, whatever their counts
  }
  return other.group_sequence == waiter.group_sequence && !same_call(other, waiter);
}

std::string late_report(const HangFacts& facts) {
  const RankStatus& late = facts.waiter;
  std::string text = fmt::format(
      "lockstep: LATE: rank {}/{} on {} is in no collective and at the same step, {}, for {} in phase {} "
      "(--hang_timeout "
      "is {}). If other ranks wait for it, they end the job now.\n",
      late.rank, facts.world_size, facts.host, late.step, duration(late.phase_s), name(late.phase),
      duration(facts.hang_timeout_s));
  return text + fmt::format("Ranks on {}:\n", facts.host) + table(facts);
}

std::string hang_report(const HangFacts& facts) {
  const RankStatus& waiter = facts.waiter;
  return fmt::format(
             "lockstep: HANG: rank {}/{} on {} has waited {} in {}{}, collective {} of this rank, step {} "
             "(--hang_timeout is {}).\n",
             waiter.rank, facts.world_size, facts.host, duration(waiter.operation_s), operation_text(waiter),
             group_text(facts, waiter), waiter.sequence, waiter.step, duration(facts.hang_timeout_s)) +
         fmt::format("Ranks on {}:\n", facts.host) + table(facts) + conclusion(facts) +
         fmt::format("Last collectives of rank {}, newest first:\n", waiter.rank) + indented(facts.last_operations) +
         cure(facts);
}

}  // namespace lockstep
