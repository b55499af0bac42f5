#include "launch/report/samples_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "launch/report/html.h"
#include "train/output/readable_numbers.h"

namespace lockstep {

namespace {

// A paragraph for each sample.
std::string symbols_html(const SampleTable& table) {
  if (table.symbols.empty()) return "";
  std::string html =
      "<p>The true text above, below it the best guess for each symbol from the true ones before it. The less probable "
      "the true symbol was, the darker.</p>\n";
  for (const SampleTable::Symbol& symbol : table.symbols) {
    if (symbol.begins)
      html += &symbol == table.symbols.data() ? "<p class=\"symbols\">" : "</p>\n<p class=\"symbols\">";
    const double improbable = 1 - std::exp(-symbol.loss);
    html += fmt::format(R"(<span{} style="--part:{:.0f}" title="loss {}"><span>{}</span><span{}>{}</span></span>)",
                        symbol.is_word() ? " class=\"word\"" : "", 100 * std::clamp(improbable, 0.0, 1.0),
                        rounded(symbol.loss), html_escaped(symbol.target),
                        symbol.target == symbol.prediction ? " class=\"same\"" : "", html_escaped(symbol.prediction));
  }
  return html + "</p>\n";
}

std::string cell_html(const SampleTable::Cell& cell) {
  if (!cell.picture.empty())
    return fmt::format(R"(<td><img alt="the sample" src="{}"></td>)", html_escaped(cell.picture));
  const std::string bar = cell.share ? fmt::format(R"( class="share" style="--part:{:.0f}")", 100 * *cell.share) : "";
  return fmt::format("<td{}>{}</td>", bar, html_escaped(cell.text));
}

}  // namespace

std::string samples_html(const SampleTable& table) {
  if (!table.trouble.empty()) return fmt::format("<p>{}</p>\n", html_escaped(table.trouble));
  std::string html = symbols_html(table) + "<div class=\"scroll\"><table class=\"samples\">\n<thead><tr>";
  for (const std::string& column : table.columns)
    html += fmt::format("<th scope=\"col\">{}</th>", html_escaped(column));
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (const SampleTable::Cell& cell : row) html += cell_html(cell);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace lockstep
