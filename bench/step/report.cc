#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

namespace lockstep::bench {
namespace {

double best(const std::vector<double>& times) {
  return times.empty() ? 0 : *std::min_element(times.begin(), times.end());
}

double median(std::vector<double> times) {
  if (times.empty()) return 0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

double sum(const std::vector<FloorForms>& floors) {
  double total = 0;
  for (const FloorForms& floor : floors) total += floor.best_us();
  return total;
}

double floor_of(const Network& network) {
  double total = 0;
  for (const auto& layer : network.times) total += sum(layer->forward_floor) + sum(layer->backward_floor);
  return total;
}

// Of each round.
std::vector<double> efficiencies(const StepTimes& times) {
  std::vector<double> ratios(times.coupled_us.size());
  std::ranges::transform(times.uncoupled_us, times.coupled_us, ratios.begin(), std::divides<>());
  return ratios;
}

// "": not of sequences.
std::string tokens_json(const StepTimes& times, double fastest_us, double usual_us) {
  if (times.length == 0) return "";
  const double tokens = static_cast<double>(times.batch * times.ranks * times.length) * 1e6;
  return fmt::format(R"("tokens_per_second_best": {:.1f}, "tokens_per_second_median": {:.1f}, )", tokens / fastest_us,
                     tokens / usual_us);
}

double samples_per_second(const StepTimes& times, double step_us) {
  return static_cast<double>(times.batch * times.ranks) / step_us * 1e6;
}

}  // namespace

std::string step_json(const StepTimes& times, const Network& network) {
  std::string text;
  auto out = std::back_inserter(text);
  const double fastest = best(times.step_us);
  const double usual = median(times.step_us);
  fmt::format_to(out,
                 R"({{"what": "step", "model": "{}", "precision": "{}", "ranks": {}, "batch": {}, )"
                 R"("samples_per_second_best": {:.6g}, "samples_per_second_median": {:.6g}, {})"
                 R"("step_us_best": {:.1f}, "step_us_median": {:.1f}, )",
                 times.model, times.precision, times.ranks, times.batch, samples_per_second(times, fastest),
                 samples_per_second(times, usual), tokens_json(times, fastest, usual), fastest, usual);
  if (times.uncoupled_us.empty()) {
    const double floor = floor_of(network);
    fmt::format_to(out, R"("floor_us": {:.1f}, "floor_share_best": {:.3f}, "floor_share_median": {:.3f}, )", floor,
                   floor / fastest, floor / usual);
  } else {
    const std::vector<double> ratios = efficiencies(times);
    fmt::format_to(out,
                   R"("coupled_us_best": {:.1f}, "coupled_us_median": {:.1f}, "uncoupled_us_best": {:.1f}, )"
                   R"("uncoupled_us_median": {:.1f}, "efficiency_best": {:.3f}, "efficiency_median": {:.3f}, )",
                   best(times.coupled_us), median(times.coupled_us), best(times.uncoupled_us),
                   median(times.uncoupled_us), *std::ranges::max_element(ratios), median(ratios));
  }
  fmt::format_to(out,
                 R"("loss_us": {:.1f}, "exchange_us": {:.1f}, "exchange_us_median": {:.1f}, "update_us": {:.1f}, )"
                 R"("update_us_median": {:.1f}, "layers": [)",
                 best(times.loss_us), best(times.exchange_us), median(times.exchange_us), best(times.update_us),
                 median(times.update_us));
  const char* between = "";
  for (const auto& layer : network.times) {
    fmt::format_to(out,
                   R"({}{{"name": "{}", "forward_us": {:.1f}, "backward_us": {:.1f}, "forward_us_median": {:.1f}, )"
                   R"("backward_us_median": {:.1f}, "forward_floor_us": {:.1f}, "backward_floor_us": {:.1f}}})",
                   between, layer->name, best(layer->forward_us), best(layer->backward_us), median(layer->forward_us),
                   median(layer->backward_us), sum(layer->forward_floor), sum(layer->backward_floor));
    between = ", ";
  }
  return text + "]}\n";
}

std::string step_table(const StepTimes& times, const Network& network) {
  std::string text =
      fmt::format("{}, {} rank(s), batch {} each, {}; microseconds, best (median)\n\n{:<16}{:>20}{:>20}{:>20}\n",
                  times.model, times.ranks, times.batch, times.precision, "", "forward", "backward", "products alone");
  auto out = std::back_inserter(text);
  const auto row = [&](const std::string& name, const std::vector<double>& forward, const std::vector<double>& backward,
                       double floor) {
    fmt::format_to(out, "{:<16}{:>20}{:>20}{:>20}\n", name,
                   fmt::format("{:.0f} ({:.0f})", best(forward), median(forward)),
                   backward.empty() ? "" : fmt::format("{:.0f} ({:.0f})", best(backward), median(backward)),
                   floor == 0 ? "" : fmt::format("{:.0f}", floor));
  };
  for (const auto& layer : network.times) {
    row(layer->name, layer->forward_us, layer->backward_us, sum(layer->forward_floor) + sum(layer->backward_floor));
  }
  row("loss", times.loss_us, {}, 0);
  row("exchange", times.exchange_us, {}, 0);
  row("update", times.update_us, {}, 0);
  const double fastest = best(times.step_us);
  const double usual = median(times.step_us);
  row("step", times.step_us, {}, floor_of(network));
  const auto each = static_cast<double>(std::max<std::int64_t>(times.length, 1));
  fmt::format_to(out, "\n{:.0f} {}/s ({:.0f}); ", each * samples_per_second(times, fastest),
                 times.length > 0 ? "tokens" : "samples", each * samples_per_second(times, usual));
  if (times.uncoupled_us.empty()) {
    fmt::format_to(out, "{:.0f} % of the products' own speed ({:.0f} %)\n", 100 * floor_of(network) / fastest,
                   100 * floor_of(network) / usual);
  } else {
    const std::vector<double> ratios = efficiencies(times);
    fmt::format_to(out, "efficiency: {:.1f} % of the slowest of the same ranks without exchange ({:.1f} %)\n",
                   100 * *std::ranges::max_element(ratios), 100 * median(ratios));
  }
  return text;
}

}  // namespace lockstep::bench
