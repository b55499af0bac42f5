#include "launch/report/samples_html.h"

#include <fmt/format.h>

#include "launch/report/html.h"

namespace lockstep {

std::string samples_html(const SampleTable& table) {
  if (!table.trouble.empty()) return fmt::format("<p>{}</p>\n", html_escaped(table.trouble));
  std::string html = "<div class=\"scroll\"><table class=\"samples\">\n<thead><tr>";
  for (const std::string& column : table.columns)
    html += fmt::format("<th scope=\"col\">{}</th>", html_escaped(column));
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (const SampleTable::Cell& cell : row) {
      const std::string bar =
          cell.share ? fmt::format(R"( class="share" style="--part:{:.0f}")", 100 * *cell.share) : "";
      html += fmt::format("<td{}>{}</td>", bar, html_escaped(cell.text));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace lockstep
