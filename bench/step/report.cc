#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

// Returns the efficiency of each round.
std::vector<double> efficiencies(const StepTimes& times) {
  std::vector<double> ratios(times.coupled_us.size());
  std::ranges::transform(times.uncoupled_us, times.coupled_us, ratios.begin(), std::divides<>());
  return ratios;
}

bool on_gpu(const StepTimes& times) { return times.device.kind != Device::Kind::cpu; }

double all_passes(const LayerTimes& row) { return best(row.forward_us) + best(row.backward_us) + best(row.update_us); }

// Sum of all operations of a step, each timed by itself. products_of() sums only those that multiply.
double operations_of(const Network& network) {
  double total = 0;
  for (const auto& row : network.times) total += all_passes(*row);
  return total;
}

double products_of(const Network& network) {
  double total = 0;
  for (const auto& row : network.times) total += row->multiplies ? all_passes(*row) : 0;
  return total;
}

// Time of a step beyond its operations: the GPU waits for the host, or for other ranks. Below 0 if operations overlap.
double gap_of(const StepTimes& times, const Network& network) { return best(times.step_us) - operations_of(network); }

double samples_per_second(const StepTimes& times, double step_us) {
  return static_cast<double>(times.batch * times.ranks) / step_us * 1e6;
}

double tflops(const StepTimes& times, double step_us) { return times.flop / step_us * 1e-6; }

// Returns "" for a network that has no sequences.
std::string tokens_json(const StepTimes& times, double fastest_us, double usual_us) {
  if (times.length == 0) return "";
  const double tokens = static_cast<double>(times.batch * times.ranks * times.length) * 1e6;
  return fmt::format(R"("length": {}, "tokens_per_second_best": {:.1f}, "tokens_per_second_median": {:.1f}, )",
                     times.length, tokens / fastest_us, tokens / usual_us);
}

// The reference that the step is measured against, as JSON.
std::string measure_json(const StepTimes& times, const Network& network, double fastest_us, double usual_us) {
  if (!times.uncoupled_us.empty()) {
    const std::vector<double> ratios = efficiencies(times);
    return fmt::format(R"("coupled_us_best": {:.1f}, "coupled_us_median": {:.1f}, "uncoupled_us_best": {:.1f}, )"
                       R"("uncoupled_us_median": {:.1f}, "efficiency_best": {:.3f}, "efficiency_median": {:.3f}, )",
                       best(times.coupled_us), median(times.coupled_us), best(times.uncoupled_us),
                       median(times.uncoupled_us), *std::ranges::max_element(ratios), median(ratios));
  }
  if (on_gpu(times)) {
    return fmt::format(R"("operations_us": {:.1f}, "products_us": {:.1f}, "launch_gap_us": {:.1f}, )",
                       operations_of(network), products_of(network), gap_of(times, network));
  }
  const double floor = floor_of(network);
  return fmt::format(R"("floor_us": {:.1f}, "floor_share_best": {:.3f}, "floor_share_median": {:.3f}, )", floor,
                     floor / fastest_us, floor / usual_us);
}

std::string row_json(const LayerTimes& row, bool on_gpu) {
  std::string text = fmt::format(
      R"({{"name": "{}", "forward_us": {:.1f}, "backward_us": {:.1f}, "forward_us_median": {:.1f}, )"
      R"("backward_us_median": {:.1f}, )",
      row.name, best(row.forward_us), best(row.backward_us), median(row.forward_us), median(row.backward_us));
  if (on_gpu) {
    return text + fmt::format(R"("update_us": {:.1f}, "update_us_median": {:.1f}}})", best(row.update_us),
                              median(row.update_us));
  }
  return text + fmt::format(R"("forward_floor_us": {:.1f}, "backward_floor_us": {:.1f}}})", sum(row.forward_floor),
                            sum(row.backward_floor));
}

// Best and median as a text, "1234 (1250)"; "" if there are no times.
std::string shown(const std::vector<double>& us) {
  return us.empty() ? "" : fmt::format("{:.0f} ({:.0f})", best(us), median(us));
}

using Columns = std::array<std::string, 4>;

std::string table_row(const Columns& columns) {
  return fmt::format("{:<24}{:>20}{:>20}{:>20}\n", columns[0], columns[1], columns[2], columns[3]);
}

std::string rows_of_gpu(const StepTimes& times, const Network& network) {
  std::string text = table_row({"", "forward", "backward", "update"});
  for (const auto& row : network.times) {
    text += table_row({row->name, shown(row->forward_us), shown(row->backward_us), shown(row->update_us)});
  }
  return text + table_row({"sums over ranks alone", "", shown(times.exchange_us), ""}) +
         table_row({"step", shown(times.step_us), "", ""}) +
         table_row({"its operations", fmt::format("{:.0f}", operations_of(network)), "", ""}) +
         table_row({"those that multiply", fmt::format("{:.0f}", products_of(network)), "", ""});
}

std::string rows_of_cpu(const StepTimes& times, const Network& network) {
  const auto alone = [](double us) { return us == 0 ? "" : fmt::format("{:.0f}", us); };
  std::string text = table_row({"", "forward", "backward", "products alone"});
  for (const auto& row : network.times) {
    text += table_row({row->name, shown(row->forward_us), shown(row->backward_us),
                       alone(sum(row->forward_floor) + sum(row->backward_floor))});
  }
  return text + table_row({"loss", shown(times.loss_us), "", ""}) +
         table_row({"exchange", shown(times.exchange_us), "", ""}) +
         table_row({"update", shown(times.update_us), "", ""}) +
         table_row({"step", shown(times.step_us), "", alone(floor_of(network))});
}

// End of the last line for people, after the speed.
std::string measure_text(const StepTimes& times, const Network& network, double fastest_us, double usual_us) {
  if (!times.uncoupled_us.empty()) {
    const std::vector<double> ratios = efficiencies(times);
    return fmt::format("efficiency: {:.1f} % of the slowest of the same ranks without exchange ({:.1f} %)\n",
                       100 * *std::ranges::max_element(ratios), 100 * median(ratios));
  }
  if (on_gpu(times)) {
    return fmt::format("launch gaps {:.1f} % of the step; {:.1f} TFLOP/s; {:.0f} MB held\n",
                       100 * gap_of(times, network) / fastest_us, tflops(times, fastest_us),
                       static_cast<double>(times.memory) * 1e-6);
  }
  return fmt::format("{:.0f} % of the products' own speed ({:.0f} %)\n", 100 * floor_of(network) / fastest_us,
                     100 * floor_of(network) / usual_us);
}

}  // namespace

std::string step_json(const StepTimes& times, const Network& network) {
  std::string text;
  auto out = std::back_inserter(text);
  const double fastest = best(times.step_us);
  const double usual = median(times.step_us);
  fmt::format_to(out,
                 R"({{"what": "step", "model": "{}", "precision": "{}", "device": "{}", "device_name": "{}", )"
                 R"("ranks": {}, "collective": "{}", "cuda_graph": {}, "batch": {}, )"
                 R"("samples_per_second_best": {:.6g}, "samples_per_second_median": {:.6g}, {})"
                 R"("step_us_best": {:.1f}, "step_us_median": {:.1f}, "flop": {:.6g}, "tflops_best": {:.6g}, )"
                 R"("tflops_median": {:.6g}, "memory_bytes": {}, )",
                 times.model, times.precision, times.device.text(), times.device_name, times.ranks, times.collective,
                 times.cuda_graph, times.batch, samples_per_second(times, fastest), samples_per_second(times, usual),
                 tokens_json(times, fastest, usual), fastest, usual, times.flop, tflops(times, fastest),
                 tflops(times, usual), times.memory);
  text += measure_json(times, network, fastest, usual);
  if (!on_gpu(times)) {
    fmt::format_to(out, R"("loss_us": {:.1f}, "update_us": {:.1f}, "update_us_median": {:.1f}, )", best(times.loss_us),
                   best(times.update_us), median(times.update_us));
  }
  fmt::format_to(out, R"("exchange_us": {:.1f}, "exchange_us_median": {:.1f}, "layers": [)", best(times.exchange_us),
                 median(times.exchange_us));
  const char* between = "";
  for (const auto& row : network.times) {
    text += between + row_json(*row, on_gpu(times));
    between = ", ";
  }
  return text + "]}\n";
}

std::string step_table(const StepTimes& times, const Network& network) {
  const double fastest = best(times.step_us);
  const double usual = median(times.step_us);
  const auto each = static_cast<double>(std::max<std::int64_t>(times.length, 1));
  return fmt::format("{}, {} rank(s), batch {} each, {}, {}; microseconds, best (median)\n\n", times.model, times.ranks,
                     times.batch, times.precision, times.device_name) +
         (on_gpu(times) ? rows_of_gpu : rows_of_cpu)(times, network) +
         fmt::format("\n{:.0f} {}/s ({:.0f}); ", each * samples_per_second(times, fastest),
                     times.length > 0 ? "tokens" : "samples", each * samples_per_second(times, usual)) +
         measure_text(times, network, fastest, usual);
}

}  // namespace lockstep::bench
