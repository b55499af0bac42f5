#include "launch/report/confusion_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lockstep {
namespace {

constexpr std::size_t kMaxClasses = 100;  // of a table that can be read

using Matrix = std::vector<std::vector<std::int64_t>>;  // rows are labels, columns predictions

// Empty if it is no square of counts.
Matrix matrix_of(const Json& details) {
  const Json* const confusion = details.find("confusion");
  const auto* const rows = confusion != nullptr ? confusion->as<Json::Array>() : nullptr;
  if (rows == nullptr || rows->size() > kMaxClasses) return {};
  Matrix matrix;
  for (const Json& row : *rows) {
    const auto* const counts = row.as<Json::Array>();
    if (counts == nullptr || counts->size() != rows->size()) return {};
    std::vector<std::int64_t>& numbers = matrix.emplace_back();
    for (const Json& count : *counts) {
      const auto* const number = count.as<std::int64_t>();
      if (number == nullptr || *number < 0) return {};
      numbers.push_back(*number);
    }
  }
  return matrix;
}

std::string row_html(std::size_t label, const std::vector<std::int64_t>& counts) {
  double samples = 0;
  for (const std::int64_t count : counts) samples += static_cast<double>(count);
  std::string html = fmt::format("<tr><th scope=\"row\">{}</th>", label);
  for (const std::int64_t count : counts) {
    const double percent = 100 * static_cast<double>(count) / std::max(samples, 1.0);
    html += fmt::format("<td style=\"--part:{:.0f}\">{}</td>", percent, count);
  }
  return html + "</tr>\n";
}

}  // namespace

std::string confusion_html(const Json& details) {
  const Matrix matrix = matrix_of(details);
  if (matrix.empty()) return "";
  std::string html =
      "<p>A row for each label, a column for each prediction.</p>\n"
      "<div class=\"scroll\"><table class=\"matrix\">\n<thead><tr><th></th>";
  for (std::size_t column = 0; column < matrix.size(); ++column) {
    html += fmt::format("<th scope=\"col\">{}</th>", column);
  }
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t label = 0; label < matrix.size(); ++label) html += row_html(label, matrix[label]);
  return html + "</tbody></table></div>\n";
}

}  // namespace lockstep
