#include "launch/report/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/counted.h"
#include "launch/report/charts.h"
#include "model/metric.h"
#include "train/output/readable_numbers.h"

namespace lockstep {
namespace {

// The time of the first start, "2026-01-02T03:04:05Z", and of the last if there were more.
std::string started_text(const Run& run) {
  const std::string first = text_member(run.starts.front(), "started");
  const std::string last = text_member(run.starts.back(), "started");
  return first == last ? first : fmt::format("{}, the last time {}", first.empty() ? "unknown" : first, last);
}

std::string state_of(const Run& run) {
  if (run.ends.empty()) return "has not ended: it runs, or was killed";
  const Json* const finished = run.ends.back().find("finished");
  const bool is_finished = finished != nullptr && *finished == Json(true);
  return fmt::format("{} after step {}", is_finished ? "finished" : "stopped", whole_member(run.ends.back(), "step"));
}

// The last value of a column, and a metric's best: "0.25 (step 3000), best 0.24 (step 2800)".
std::string values_text(const MetricsTable& table, const MetricsTable::Column& column, const Metric* metric) {
  const std::size_t last = column.values.size() - 1;
  std::string text = fmt::format("{} (step {})", rounded(column.values[last]), table.steps[last]);
  if (metric == nullptr || column.values.size() == 1) return text;
  const std::size_t best = best_of(column, *metric);
  return text + fmt::format(", best {} (step {})", rounded(column.values[best]), table.steps[best]);
}

void add_values(const Run& run, Facts& facts) {
  for (const Chart& chart : charts_of(std::span(&run, 1))) {
    for (const Curve& curve : chart.curves) {
      const bool of_training = curve.table == &run.training;
      facts.emplace_back(title_of(curve.table->name) + " " + title_of(chart.name),
                         values_text(*curve.table, *curve.column, of_training ? nullptr : find_metric(chart.name)));
    }
  }
}

void flatten(const Json::Object& members, const std::string& before, Facts& facts) {
  for (const auto& [name, value] : members) {
    if (const auto* const object = value.as<Json::Object>()) {
      flatten(*object, before + name + ".", facts);
    } else {
      const auto* const text = value.as<std::string>();
      facts.emplace_back(before + name, text != nullptr ? *text : value.text(Json::Form::readable));
    }
  }
}

std::string event_text(const Json& line, const std::string& kind) {
  if (kind == "resumed") {
    return "resumed from " + std::filesystem::path(text_member(line, "checkpoint")).filename().string();
  }
  if (kind == "best")
    return fmt::format("best {} so far: {}", text_member(line, "metric"), rounded(number_member(line, "value")));
  if (const std::string reason = text_member(line, "reason"); !reason.empty()) return title_of(kind) + ": " + reason;
  return title_of(kind);
}

}  // namespace

double seconds_of(const Run& run) {
  if (!run.ends.empty()) return number_member(run.ends.back(), "wall_seconds");
  return run.training.seconds.empty() ? 0 : run.training.seconds.back();
}

std::vector<std::string> remarks_of(const Run& run) {
  std::vector<std::string> remarks = run.remarks;
  if (run.lines_left_out > 0) {
    remarks.insert(remarks.begin(), fmt::format("{}, broken or cut off, the first of them {}",
                                                counted(run.lines_left_out, "line"), run.first_left_out));
  }
  return remarks;
}

std::string title_of(const std::string& name) {
  std::string title = name == "examples_per_second" ? "samples per second" : name;
  std::ranges::replace(title, '_', ' ');
  return title;
}

Facts facts_of(const Run& run) {
  Facts facts{{"state", state_of(run)}, {"time in training", duration_text(seconds_of(run))}};
  if (!run.starts.empty()) {
    facts.emplace_back("starts", std::to_string(run.starts.size()));
    if (const std::string started = started_text(run); !started.empty()) facts.emplace_back("started", started);
    for (const char* const name : {"version", "ranks", "global_batch", "problem", "model"}) {
      if (const Json* const value = run.starts.back().find(name)) {
        const auto* const text = value->as<std::string>();
        facts.emplace_back(title_of(name), text != nullptr ? *text : value->text(Json::Form::readable));
      }
    }
  }
  add_values(run, facts);
  for (const std::string& remark : remarks_of(run)) facts.emplace_back("left out", remark);
  return facts;
}

Facts config_of(const Run& run) {
  Facts facts;
  if (const auto* const members = run.config.as<Json::Object>()) flatten(*members, "", facts);
  return facts;
}

bool is_frequent(const Moment& moment) { return moment.kind == "saved" || moment.kind == "best"; }

std::vector<Moment> moments_of(const Run& run) {
  std::vector<Moment> moments;
  const auto add = [&](const Json& line, const std::string& kind, const std::string& text) {
    moments.push_back({whole_member(line, "step"), number_member(line, "wall_seconds"), kind, text});
  };
  for (const Json& line : run.starts) {
    add(line, "started", fmt::format("started on {} ranks", whole_member(line, "ranks")));
  }
  for (const Json& line : run.events) {
    const std::string kind = text_member(line, "event");
    add(line, kind, event_text(line, kind));
  }
  for (const Json& line : run.ends) {
    const bool finished = line.find("finished") != nullptr && *line.find("finished") == Json(true);
    add(line, finished ? "finished" : "stopped", finished ? "finished" : "stopped");
  }
  std::ranges::stable_sort(moments, {}, &Moment::seconds);
  return moments;
}

}  // namespace lockstep
