#include "report.h"

#include <fmt/format.h>

namespace lockstep::bench {
namespace {

const std::string& name(SumBackend backend) { return sum_backend_names()[static_cast<std::size_t>(backend)]; }
std::string name(const SumTiming& timing) { return timing.backend ? name(*timing.backend) : "host"; }
const std::string& name(WireType wire) { return wire_type_names()[static_cast<std::size_t>(wire)]; }

std::string exchange_text(const TrainingStep& step) {
  switch (step.exchange) {
    case TrainingStep::Exchange::every_step:
      return fmt::format("gradients in {}", name(step.wire));
    case TrainingStep::Exchange::delayed:
      return fmt::format("gradients in {}, a step late", name(step.wire));
    case TrainingStep::Exchange::averaging:
      return fmt::format("parameters in float32, every {} steps", step.sync_every);
  }
  return {};
}

// Returns whether train can do it today.
bool built(const TrainingStep& step) {
  return step.wire != WireType::int8 && step.exchange != TrainingStep::Exchange::delayed;
}

// The remarks on a row, each with blanks before it.
std::string remarks(const TrainingStep& step, const ForecastRow& row) {
  return fmt::format("{}{}", row.extrapolated ? "  extrapolated" : "", built(step) ? "" : "  not built");
}

double samples_per_second(const TrainingStep& step, const ForecastRow& row) {
  return step.batch * row.grid.ranks() / row.time.step_ms * 1e3;
}

std::string link_line(const std::string& what, const Link& link) {
  return fmt::format("{:<14}{:>12.2f}{:>14.3f}{:>12.2f}\n", what, link.round_us, link.byte_us * 1e3, link.gbit());
}

std::string link_json(const std::string& what, const Link& link) {
  return fmt::format(R"({{"kind": "link", "backend": "{}", "round_us": {:.3f}, "byte_ns": {:.5f}, "gbit": {:.3f}}})"
                     "\n",
                     what, link.round_us, link.byte_us * 1e3, link.gbit());
}

}  // namespace

std::string links_table(const SumModel& model, std::span<const ComparisonRow> comparison) {
  std::string text = fmt::format("{:<14}{:>12}{:>14}{:>12}\n", "link", "a round, us", "a byte, ns", "Gbit/s");
  text += link_line("host", model.host);
  for (const auto& [backend, link] : model.between) text += link_line(name(backend), link);
  if (comparison.empty()) return text + "\n";
  text += fmt::format("\n{:<14}{:>6}{:>8}{:>12}{:>14}{:>14}{:>9}\n", "sum", "hosts", "ranks", "bytes", "measured us",
                      "model us", "error");
  for (const ComparisonRow& row : comparison) {
    text += fmt::format("{:<14}{:>6}{:>8}{:>12}{:>14.2f}{:>14.2f}{:>7.1f} %{}\n", name(row.timing),
                        row.timing.grid.hosts, row.timing.grid.ranks(), row.timing.bytes, row.timing.us,
                        row.predicted_us, 100 * row.error(), row.fitted ? "  fitted" : "");
  }
  return text + "\n";
}

std::string forecast_table(const TrainingStep& step, std::span<const ForecastRow> rows) {
  std::string text = fmt::format("{:.0f} parameters, {}, {:.1f} ms of computation a step\n\n", step.parameters,
                                 exchange_text(step), step.compute_ms);
  text += fmt::format("{:<14}{:>6}{:>8}{:>12}{:>12}{:>12}{:>12}{}\n", "backend", "hosts", "ranks", "step ms", "sums ms",
                      "exposed ms", "efficiency", step.batch > 0 ? fmt::format("{:>14}", "samples/s") : "");
  for (const ForecastRow& row : rows) {
    const StepTime& time = row.time;
    text +=
        fmt::format("{:<14}{:>6}{:>8}{:>12.2f}{:>12.2f}{:>12.2f}{:>10.1f} %{}{}\n", name(row.backend), row.grid.hosts,
                    row.grid.ranks(), time.step_ms, time.communication_ms, time.exposed_ms, 100 * time.efficiency,
                    step.batch > 0 ? fmt::format("{:>14.0f}", samples_per_second(step, row)) : "", remarks(step, row));
  }
  return text + "\n";
}

std::string links_json(const SumModel& model, std::span<const ComparisonRow> comparison) {
  std::string text = link_json("host", model.host);
  for (const auto& [backend, link] : model.between) text += link_json(name(backend), link);
  for (const ComparisonRow& row : comparison) {
    text += fmt::format(R"({{"kind": "sum", "backend": "{}", "hosts": {}, "ranks": {}, "bytes": {}, )"
                        R"("measured_us": {:.3f}, "model_us": {:.3f}, "error": {:.4f}, "fitted": {}}})"
                        "\n",
                        name(row.timing), row.timing.grid.hosts, row.timing.grid.ranks(), row.timing.bytes,
                        row.timing.us, row.predicted_us, row.error(), row.fitted);
  }
  return text;
}

std::string forecast_json(const SumModel& model, const TrainingStep& step, std::span<const ForecastRow> rows) {
  std::string text;
  for (const ForecastRow& row : rows) {
    const std::string samples =
        step.batch > 0 ? fmt::format(R"("samples_per_second": {:.1f}, )", samples_per_second(step, row)) : "";
    text += fmt::format(R"({{"kind": "step", "backend": "{}", "gbit": {:.3f}, "exchange": "{}", "hosts": {}, )"
                        R"("ranks": {}, "step_ms": {:.3f}, "communication_ms": {:.3f}, "exposed_ms": {:.3f}, )"
                        R"("efficiency": {:.5f}, {}"extrapolated": {}, "built": {}}})"
                        "\n",
                        name(row.backend), model.between.at(row.backend).gbit(), exchange_text(step), row.grid.hosts,
                        row.grid.ranks(), row.time.step_ms, row.time.communication_ms, row.time.exposed_ms,
                        row.time.efficiency, samples, row.extrapolated, built(step));
  }
  return text;
}

}  // namespace lockstep::bench
