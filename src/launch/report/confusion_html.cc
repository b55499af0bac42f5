#include "launch/report/confusion_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/printable.h"
#include "launch/report/html.h"
#include "train/output/metrics_lines.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxClasses = 100;  // of a table that can be read

using Matrix = std::vector<std::vector<std::int64_t>>;  // rows are labels, columns predictions

// The confusion matrix; empty if it is not a square of counts.
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

// Names of the classes: the text of a symbol that stands for one, else its number.
std::vector<std::string> class_names(const Json& details, std::size_t classes) {
  const Json* const list = details.find("classes");
  const auto* const known = list != nullptr ? list->as<Json::Array>() : nullptr;
  std::vector<std::string> names;
  for (std::size_t one = 0; one < classes; ++one) {
    const std::string text = known != nullptr && one < known->size() ? text_member((*known)[one], "text") : "";
    names.push_back(text.empty() ? std::to_string(one) : in_quotes(text));
  }
  return names;
}

double part_of(const std::vector<std::int64_t>& counts, std::size_t column) {
  double samples = 0;
  for (const std::int64_t count : counts) samples += static_cast<double>(count);
  return static_cast<double>(counts[column]) / std::max(samples, 1.0);
}

// The largest part of a label that was taken for another class.
double largest_mistake(const Matrix& matrix) {
  double largest = 0;
  for (std::size_t label = 0; label < matrix.size(); ++label) {
    for (std::size_t column = 0; column < matrix.size(); ++column) {
      if (column != label) largest = std::max(largest, part_of(matrix[label], column));
    }
  }
  return largest;
}

std::string row_html(const std::string& name, const std::vector<std::int64_t>& counts, std::size_t label,
                     double largest) {
  std::string html = fmt::format("<tr><th scope=\"row\">{}</th>", html_escaped(name));
  for (std::size_t column = 0; column < counts.size(); ++column) {
    const double part = part_of(counts, column);
    if (column == label) {
      html += fmt::format(R"(<td class="right" style="--part:{:.0f}">{}</td>)", 100 * part, counts[column]);
    } else {
      html += fmt::format(R"(<td style="--part:{:.0f}">{}</td>)", part > 0 ? 100 * part / largest : 0, counts[column]);
    }
  }
  return html + "</tr>\n";
}

}  // namespace

std::string confusion_html(const Json& details) {
  const Matrix matrix = matrix_of(details);
  if (matrix.empty()) return "";
  std::string html =
      "<p>A row for each label, a column for each prediction. What is right lies on the diagonal; mistakes are the "
      "darker the larger a part of their label they are.</p>\n"
      "<div class=\"scroll\"><table class=\"matrix\">\n<thead><tr><th></th>";
  const std::vector<std::string> names = class_names(details, matrix.size());
  for (const std::string& name : names) html += fmt::format("<th scope=\"col\">{}</th>", html_escaped(name));
  html += "</tr></thead>\n<tbody>\n";
  const double largest = largest_mistake(matrix);
  for (std::size_t label = 0; label < matrix.size(); ++label) {
    html += row_html(names[label], matrix[label], label, largest);
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace lockstep
