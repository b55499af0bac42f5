#include "optim/schedule_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/text_plot.h"

namespace lockstep {
namespace {

constexpr std::int64_t kColumns = 60;
constexpr std::int64_t kSamplesPerColumn = 64;    // longer columns are sampled
constexpr std::int64_t kMaxExactSteps = 100'000;  // in the column with the highest rate
constexpr std::int64_t kMaxEvenSteps = 12;        // in the table, besides the first, the last and the highest

// The range of the rates of the steps [first, last], evenly thinned out if there are many.
Interval interval_of(const Schedule& schedule, std::int64_t first, std::int64_t last) {
  const std::int64_t stride = std::max<std::int64_t>(1, (last - first) / kSamplesPerColumn);
  Interval interval{.lowest = schedule.at(last), .highest = schedule.at(last)};
  for (std::int64_t step = first; step < last; step += stride) {
    const double rate = schedule.at(step);
    interval.lowest = std::min(interval.lowest, rate);
    interval.highest = std::max(interval.highest, rate);
  }
  return interval;
}

// The first step of a column of the plot; a short run's steps are several columns wide.
std::int64_t start_of(std::int64_t column, std::int64_t train_steps) { return 1 + column * train_steps / kColumns; }

std::vector<Interval> intervals_of(const Schedule& schedule, std::int64_t train_steps) {
  std::vector<Interval> intervals;
  for (std::int64_t column = 0; column < kColumns; ++column) {
    const std::int64_t first = start_of(column, train_steps);
    intervals.push_back(interval_of(schedule, first, std::max(first, start_of(column + 1, train_steps) - 1)));
  }
  return intervals;
}

// The first step of the highest rate, to within a sample.
std::int64_t highest_step(const Schedule& schedule, const std::vector<Interval>& intervals, std::int64_t train_steps) {
  const auto highest = std::max_element(intervals.begin(), intervals.end(),
                                        [](const Interval& a, const Interval& b) { return a.highest < b.highest; });
  const auto column = highest - intervals.begin();
  std::int64_t best = start_of(column, train_steps);
  const std::int64_t last = std::min(start_of(column + 1, train_steps), train_steps);
  const std::int64_t stride = std::max<std::int64_t>(1, (last - best) / kMaxExactSteps);
  for (std::int64_t step = best; step <= last; step += stride) {
    if (schedule.at(step) > schedule.at(best)) best = step;
  }
  return best;
}

// 1, 2 or 5 times a power of ten, such that at most kMaxEvenSteps multiples fit into train_steps.
std::int64_t even_stride(std::int64_t train_steps) {
  std::int64_t power = 1;
  for (;; power *= 10) {
    for (std::int64_t digit : {1, 2, 5}) {
      if (train_steps / (digit * power) <= kMaxEvenSteps) return digit * power;
    }
  }
}

std::string table(const Schedule& schedule, std::int64_t train_steps, std::int64_t highest) {
  std::set<std::int64_t> steps{1, highest, train_steps};
  const std::int64_t stride = even_stride(train_steps);
  for (std::int64_t step = stride; step < train_steps; step += stride) steps.insert(step);
  std::string text = fmt::format("{:>12}  learning rate\n", "step");
  for (std::int64_t step : steps) text += fmt::format("{:>12}  {:.6g}\n", step, schedule.at(step));
  return text;
}

}  // namespace

std::string schedule_plot(const Schedule& schedule, std::int64_t train_steps) {
  std::vector<Interval> intervals = intervals_of(schedule, train_steps);
  const std::int64_t highest = highest_step(schedule, intervals, train_steps);
  Interval& peak = *std::ranges::max_element(intervals, {}, &Interval::highest);
  peak.highest = schedule.at(highest);
  return table(schedule, train_steps, highest) + "\n" +
         text_plot(intervals, {.first = "1", .last = fmt::format("step {}", train_steps)});
}

}  // namespace lockstep
