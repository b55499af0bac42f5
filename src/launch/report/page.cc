#include "launch/report/page.h"

#include <fmt/format.h>

#include <map>

#include "launch/report/charts.h"
#include "launch/report/facts.h"
#include "launch/report/html.h"
#include "launch/report/page_parts.h"
#include "launch/report/page_tables.h"

namespace lockstep {
namespace {

constexpr std::size_t kBuckets = 1000;
constexpr std::size_t kMaxMoments = 2000;  // of one kind, marked on the curves

template <class Number>
Json picked(const std::vector<Number>& numbers, std::span<const std::size_t> points) {
  Json::Array list;
  for (const std::size_t point : points) list.emplace_back(numbers[point]);
  return list;
}

Json curve_json(const std::string& label, const Curve& curve, std::span<const std::size_t> points) {
  return Json::Object{{"run", static_cast<std::int64_t>(curve.run)},
                      {"label", label},
                      {"steps", picked(curve.table->steps, points)},
                      {"seconds", picked(curve.table->seconds, points)},
                      {"values", picked(curve.column->values, points)}};
}

Json chart_json(const Chart& chart) {
  Json::Array curves;
  for (const Curve& curve : chart.curves) {
    curves.push_back(curve_json(title_of(curve.table->name), curve, thinned(curve.column->values, kBuckets)));
  }
  return Json::Object{
      {"title", title_of(chart.name)}, {"stacked", false}, {"little", chart.says_little}, {"curves", curves}};
}

// The shares are drawn one on top of the other, so all of them have the same points.
Json time_split_json(std::span<const Curve> shares, const std::string& title) {
  const std::vector<std::size_t> points = thinned(shares.front().column->values, kBuckets / 4);
  Json::Array curves;
  for (const Curve& share : shares) {
    curves.push_back(curve_json(share.column->name.substr(kSharePrefix.size()), share, points));
  }
  return Json::Object{{"title", title}, {"stacked", true}, {"little", false}, {"curves", curves}};
}

Json moments_json(const Run& run) {
  Json::Array list;
  std::map<std::string, std::size_t> count;
  for (const Moment& moment : moments_of(run)) {
    if (moment.kind == "started" || moment.kind == "finished" || ++count[moment.kind] > kMaxMoments) continue;
    list.emplace_back(Json::Object{
        {"step", moment.step}, {"seconds", moment.seconds}, {"frequent", is_frequent(moment)}, {"text", moment.text}});
  }
  return list;
}

Json curves_json(std::span<const Run> runs) {
  Json::Array names, charts, moments;
  for (const Chart& chart : charts_of(runs)) charts.push_back(chart_json(chart));
  for (std::size_t at = 0; at < runs.size(); ++at) {
    const Run& run = runs[at];
    names.emplace_back(run.name);
    moments.push_back(moments_json(run));
    std::vector<Curve> shares = time_split(run);
    for (Curve& share : shares) share.run = at;
    const std::string title = runs.size() == 1 ? "share of time" : "share of time, " + run.name;
    if (!shares.empty() && !run.training.steps.empty()) charts.push_back(time_split_json(shares, title));
  }
  return Json::Object{{"runs", names}, {"charts", charts}, {"moments", moments}};
}

}  // namespace

std::string report_page(std::span<const Run> runs) {
  std::string title;
  for (const Run& run : runs) title += (title.empty() ? "" : ", ") + run.name;
  return fmt::format(fmt::runtime(kPageHtml), fmt::arg("title", html_escaped(title)), fmt::arg("style", kPageStyle),
                     fmt::arg("tables", page_tables(runs)),
                     fmt::arg("curves", json_in_html(curves_json(runs).text(Json::Form::readable))),
                     fmt::arg("script", kPageScript));
}

}  // namespace lockstep
