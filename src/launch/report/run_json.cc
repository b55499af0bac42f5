#include "launch/report/run_json.h"

#include <fmt/format.h>

#include "data/predictions/prediction_text.h"

namespace lockstep {
namespace {

// A column as JSON, "name": [...]; one at a time, since a long run has millions of numbers.
template <class Value>
std::string column_text(const std::string& name, const std::vector<Value>& values) {
  return fmt::format("{}: {}", Json(name).text(),
                     Json(Json::Array(values.begin(), values.end())).text(Json::Form::readable));
}

std::string table_text(const MetricsTable& table) {
  std::string text = column_text("step", table.steps) + ", " + column_text("wall_seconds", table.seconds);
  for (const auto& column : table.columns) text += ", " + column_text(column.name, column.values);
  return "{" + text + "}";
}

std::string predictions_text(const std::vector<PredictionColumn>& columns) {
  if (columns.empty()) return "null";
  std::string text;
  for (const auto& [name, values, texts] : columns) {
    text += (text.empty() ? "" : ", ") + (is_text_column(name) ? column_text(name, texts) : column_text(name, values));
  }
  return "{" + text + "}";
}

std::string run_text(const Run& run) {
  std::string evaluations;
  for (const MetricsTable& table : run.evaluations) {
    evaluations +=
        fmt::format("{}{}: {}", evaluations.empty() ? "" : ",\n  ", Json(table.name).text(), table_text(table));
  }
  const auto list = [](const std::vector<Json>& lines) {
    return Json(Json::Array(lines.begin(), lines.end())).text(Json::Form::readable);
  };
  return fmt::format(
      "{{\"name\": {},\n \"training\": {},\n \"evaluations\": {{{}}},\n \"starts\": {},\n \"events\": {},\n \"ends\": "
      "{},\n"
      " \"details\": {},\n \"predictions\": {},\n \"config\": {},\n \"lines_left_out\": {},\n \"remarks\": {}}}",
      Json(run.folder).text(), table_text(run.training), evaluations, list(run.starts), list(run.events),
      list(run.ends), list(run.details), predictions_text(run.predictions), run.config.text(Json::Form::readable),
      run.lines_left_out, Json(Json::Array(run.remarks.begin(), run.remarks.end())).text(Json::Form::readable));
}

}  // namespace

std::string runs_json(std::span<const Run> runs) {
  std::string text = "{\"runs\": [";
  for (const Run& run : runs) text += (&run == runs.data() ? "" : ",\n") + run_text(run);
  return text + "]}\n";
}

}  // namespace lockstep
