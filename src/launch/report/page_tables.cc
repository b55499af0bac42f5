#include "launch/report/page_tables.h"

#include <fmt/format.h>

#include <map>

#include "base/counted.h"
#include "launch/report/confusion_html.h"
#include "launch/report/fact_rows.h"
#include "launch/report/facts.h"
#include "launch/report/html.h"
#include "launch/report/sample_tables.h"
#include "launch/report/samples_html.h"

namespace lockstep {
namespace {

std::string table_html(std::span<const Run> runs, std::span<const FactRow> rows) {
  std::string html = "<div class=\"scroll\"><table>\n<thead><tr><th></th>";
  for (const Run& run : runs) html += fmt::format("<th scope=\"col\">{}</th>", html_escaped(run.name));
  html += "</tr></thead>\n<tbody>\n";
  for (const FactRow& row : rows) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", html_escaped(row.name));
    for (const std::string& value : row.values) html += fmt::format("<td>{}</td>", html_escaped(value));
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string details(const std::string& title, const std::string& html, bool open = false) {
  return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", open ? " open" : "", html_escaped(title),
                     html);
}

std::string configuration(std::span<const Run> runs) {
  const auto [differing, same] = config_rows(runs);
  if (differing.empty() && same.empty()) return "";
  if (runs.size() == 1) return details("Configuration", table_html(runs, same));
  return (differing.empty() ? "" : details("Configuration: what differs", table_html(runs, differing), true)) +
         details("Configuration: what is the same", table_html(runs, same));
}

// The events of a run; for frequent kinds only their number.
std::string moments_html(const Run& run) {
  std::string html =
      "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">step</th><th scope=\"col\">seconds</th>"
      "<th scope=\"col\">what</th></tr></thead>\n<tbody>\n";
  std::map<std::string, std::int64_t> frequent;
  for (const Moment& moment : moments_of(run)) {
    if (is_frequent(moment)) {
      ++frequent[moment.kind];
      continue;
    }
    html += fmt::format("<tr><td>{}</td><td>{:.1f}</td><td>{}</td></tr>\n", moment.step, moment.seconds,
                        html_escaped(moment.text));
  }
  for (const auto& [kind, times] : frequent) {
    html += fmt::format("<tr><td></td><td></td><td>{}: {}</td></tr>\n", kind, counted(times, "time"));
  }
  return html + "</tbody></table></div>\n";
}

// The confusion matrices of a run. of_run: "" if it is the only one.
std::string confusions(const Run& run, const std::string& of_run) {
  std::string html;
  for (const Json& each : run.details) {
    const std::string matrix = confusion_html(each);
    const std::string title = fmt::format("Confusion matrix{}, {} split, step {}", of_run, text_member(each, "split"),
                                          whole_member(each, "step"));
    if (!matrix.empty()) html += details(title, matrix, true);
  }
  return html;
}

// The samples of a run that files show. of_run: as above.
std::string samples(const Run& run, const std::string& of_run) {
  std::string html;
  for (const SampleTable& table : sample_tables(run)) html += details(table.title + of_run, samples_html(table), true);
  return html;
}

}  // namespace

std::string page_tables(std::span<const Run> runs) {
  std::vector<Facts> facts;
  for (const Run& run : runs) facts.push_back(facts_of(run));
  std::string html = table_html(runs, fact_rows(facts));
  for (const Run& run : runs) {
    const std::string of_run = runs.size() == 1 ? "" : " of " + run.name;
    const std::string predicted = confusions(run, of_run) + samples(run, of_run);
    if (!predicted.empty()) html += "<div class=\"beside\">\n" + predicted + "</div>\n";
  }
  html += configuration(runs);
  for (const Run& run : runs) {
    html += details(runs.size() == 1 ? "What happened" : "What happened to " + run.name, moments_html(run));
  }
  return html;
}

}  // namespace lockstep
