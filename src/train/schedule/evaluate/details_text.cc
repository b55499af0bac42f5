#include "train/schedule/evaluate/details_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "tensor/batch.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMaxMatrixShown = 20;  // classes
constexpr std::int64_t kMaxTableShown = 100;
constexpr std::size_t kMaxNumbersShown = 4;  // for a sample

// The values of a worst sample, if numbers are predicted.
struct TargetsAndPredictions {
  std::span<const double> targets;
  std::span<const double> predictions;
};
TargetsAndPredictions halves_of(const WorstSample& one) {
  const std::span<const double> values(one.values);
  return {.targets = values.first(values.size() / 2), .predictions = values.subspan(values.size() / 2)};
}

Json::Array list_of(std::span<const std::int64_t> counts) { return {counts.begin(), counts.end()}; }
Json::Array list_of(std::span<const double> numbers) { return {numbers.begin(), numbers.end()}; }

// The text of a class that is a symbol.
const std::string& class_text(const EvaluationDetails& details, double one) {
  return details.texts[static_cast<std::size_t>(one)];
}

Json class_json(const EvaluationDetails& details, const Confusion& confusion, std::int64_t one) {
  const Confusion::OfClass of = confusion.of_class(one);
  Json::Object json{{"class", one}};
  if (!details.texts.empty()) json.emplace_back("text", class_text(details, static_cast<double>(one)));
  json.insert(json.end(), {{"samples", of.samples},
                           {"predicted", of.predicted},
                           {"correct", of.correct},
                           {"precision", of.precision()},
                           {"recall", of.recall()},
                           {"f1", of.f1()}});
  return json;
}

// The place of a sample: for sequences the sample, and the position in it.
Json::Object place_of(const WorstSample& one, bool sequences) {
  if (!sequences) return {{"sample", one.sample}};
  return {{"sample", one.sample / kMostPositions}, {"position", one.sample % kMostPositions}};
}

// A data: URI, which an <img> of a page shows (RFC 2397).
std::string picture_uri(const std::string& png) {
  return "data:image/png;base64," + encode_base64(std::as_bytes(std::span(png)));
}

Json::Object worst_json(const WorstSample& one, const EvaluationDetails& details) {
  Json::Object json = place_of(one, details.sequences);
  if (details.confusion) {
    json.insert(json.end(), {{"label", static_cast<std::int64_t>(one.values[0])},
                             {"prediction", static_cast<std::int64_t>(one.values[1])},
                             {"probability", one.values[2]},
                             {"loss", one.loss}});
    if (!details.texts.empty()) {
      json.emplace_back("label_text", class_text(details, one.values[0]));
      json.emplace_back("prediction_text", class_text(details, one.values[1]));
    }
  } else {
    const auto [targets, predictions] = halves_of(one);
    json.insert(json.end(),
                {{"target", list_of(targets)}, {"prediction", list_of(predictions)}, {"squared_error", one.loss}});
  }
  return json;
}

// A share in per cent; "-" for a share of nothing.
std::string percent(double share) { return std::isnan(share) ? "-" : fmt::format("{:.2f}", 100 * share); }

std::string table_text(const EvaluationDetails& details, const Confusion& confusion) {
  if (confusion.classes() > kMaxTableShown) return "";
  std::string text = fmt::format("{:>7}{:>11}{:>11}{:>13}{:>10}{:>8}{}\n", "class", "samples", "correct", "precision %",
                                 "recall %", "F1 %", details.texts.empty() ? "" : "  text");
  for (std::int64_t one = 0; one < confusion.classes(); ++one) {
    const Confusion::OfClass of = confusion.of_class(one);
    text +=
        fmt::format("{:>7}{:>11}{:>11}{:>13}{:>10}{:>8}{}\n", one, of.samples, of.correct, percent(of.precision()),
                    percent(of.recall()), percent(of.f1()),
                    details.texts.empty() ? "" : fmt::format("  '{}'", class_text(details, static_cast<double>(one))));
  }
  return text;
}

std::string matrix_text(const Confusion& confusion) {
  if (!confusion.has_matrix()) {
    return fmt::format("no confusion matrix: it is kept up to {} classes, and there are {}\n",
                       Confusion::kMaxMatrixClasses, confusion.classes());
  }
  if (confusion.classes() > kMaxMatrixShown) return "";
  const std::span<const std::int64_t> counts = confusion.counts();
  const std::size_t width = std::max<std::size_t>(4, 1 + fmt::formatted_size("{}", std::ranges::max(counts)));
  std::string text = fmt::format("confusion matrix, a row for each label, a column for each prediction:\n{:>7}", "");
  for (std::int64_t column = 0; column < confusion.classes(); ++column) text += fmt::format("{:>{}}", column, width);
  for (std::int64_t label = 0; label < confusion.classes(); ++label) {
    text += fmt::format("\n{:>7}", label);
    for (const std::int64_t count : confusion.row(label)) text += fmt::format("{:>{}}", count, width);
  }
  return text + "\n";
}

std::string numbers_text(std::span<const double> numbers) {
  const std::size_t shown = std::min(numbers.size(), kMaxNumbersShown);
  std::string text;
  for (const double number : numbers.first(shown)) text += fmt::format("{}{:.6g}", text.empty() ? "" : " ", number);
  return text + (shown < numbers.size() ? " ..." : "");
}

std::string worst_header(const EvaluationDetails& details) {
  if (!details.confusion) return fmt::format("the largest errors:\n{:>12}  {:>13}\n", "sample", "squared error");
  return fmt::format("the largest losses:\n{:>12}{}{:>7}{:>12}{:>13}{:>10}{}\n", "sample",
                     details.sequences ? fmt::format("{:>10}", "position") : "", "label", "prediction", "probability",
                     "loss", details.texts.empty() ? "" : "  label and prediction as text");
}

std::string worst_text(const WorstSample& one, const EvaluationDetails& details) {
  if (!details.confusion) {
    const auto [targets, predictions] = halves_of(one);
    return fmt::format("{:>12}  {:>13.6g}  target {}, prediction {}\n", one.sample, one.loss, numbers_text(targets),
                       numbers_text(predictions));
  }
  const std::string place = details.sequences
                                ? fmt::format("{:>12}{:>10}", one.sample / kMostPositions, one.sample % kMostPositions)
                                : fmt::format("{:>12}", one.sample);
  const std::string texts = details.texts.empty() ? ""
                                                  : fmt::format("  '{}' '{}'", class_text(details, one.values[0]),
                                                                class_text(details, one.values[1]));
  return fmt::format("{}{:>7}{:>12}{:>13.3g}{:>10.5f}{}\n", place, one.values[0], one.values[1], one.values[2],
                     one.loss, texts);
}

}  // namespace

Json::Object details_members(const EvaluationDetails& details) {
  Json::Object members;
  if (details.confusion) {
    Json::Array classes, matrix;
    for (std::int64_t one = 0; one < details.confusion->classes(); ++one) {
      classes.push_back(class_json(details, *details.confusion, one));
      if (details.confusion->has_matrix()) matrix.emplace_back(list_of(details.confusion->row(one)));
    }
    members.emplace_back("classes", std::move(classes));
    members.emplace_back("confusion", details.confusion->has_matrix() ? Json(std::move(matrix)) : Json());
  }
  Json::Array worst;
  const std::vector<WorstSample>& samples = details.worst.samples();
  for (std::size_t at = 0; at < samples.size(); ++at) {
    Json::Object json = worst_json(samples[at], details);
    if (!details.pictures.empty()) json.emplace_back("picture", picture_uri(details.pictures[at]));
    worst.emplace_back(std::move(json));
  }
  members.emplace_back("worst", std::move(worst));
  return members;
}

std::string details_text(const EvaluationDetails& details) {
  std::string text = details.confusion ? table_text(details, *details.confusion) + matrix_text(*details.confusion) : "";
  if (details.worst.samples().empty()) return text;
  text += worst_header(details);
  for (const WorstSample& one : details.worst.samples()) text += worst_text(one, details);
  return text;
}

}  // namespace lockstep
