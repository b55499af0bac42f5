#include "data/label_remarks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "data/problem.h"

namespace lockstep {
namespace {

// For each class, true if some sample has it.
using Seen = std::vector<bool>;

bool contains(const Seen& seen, std::int32_t label) {
  const auto at = static_cast<std::size_t>(label);
  return at < seen.size() && seen[at];
}

void mark(std::span<const std::int32_t> labels, Seen& seen) {
  if (labels.empty()) return;
  const auto largest = static_cast<std::size_t>(*std::ranges::max_element(labels));
  if (seen.size() <= largest) seen.resize(largest + 1);
  for (const std::int32_t label : labels) seen[static_cast<std::size_t>(label)] = true;
}

// "3, 5, 9", the first few.
std::string list(const std::vector<std::size_t>& classes) {
  constexpr std::size_t kShown = 5;
  const std::span shown = std::span(classes).first(std::min(classes.size(), kShown));
  return fmt::format("{}{}", fmt::join(shown, ", "), classes.size() > kShown ? ", ..." : "");
}

std::size_t smallest_of(const Seen& seen) {
  return static_cast<std::size_t>(std::ranges::find(seen, true) - seen.begin());
}

std::string counted_from(const Seen& seen, const std::string& cure) {
  const std::size_t first = smallest_of(seen);
  return fmt::format(
      "the labels are {0} to {1}, none of them {2}: the model gets {3} classes, of which it never sees {2}; "
      "classes are numbered from 0, so save targets - {0} in every split{4}",
      first, seen.size() - 1, first == 1 ? "0" : fmt::format("0 to {}", first - 1), seen.size(), cure);
}

// True if, of the requested number of classes, 0 is the only one without a sample.
bool only_zero_is_missing(const Seen& seen, std::int64_t classes) {
  return seen.size() > 1 && std::ssize(seen) == classes && std::ranges::find(seen, false) == seen.begin() &&
         std::ranges::count(seen, false) == 1;
}

void remark_gaps(const Seen& seen, std::vector<std::string>& remarks) {
  const std::size_t first = smallest_of(seen);
  if (first > 0) remarks.push_back(counted_from(seen, ""));
  std::vector<std::size_t> missing;
  for (std::size_t label = first; label < seen.size(); ++label) {
    if (!seen[label]) missing.push_back(label);
  }
  if (missing.empty()) return;
  remarks.push_back(
      fmt::format("no sample has the label {}: {} of the {} classes are empty; number the classes without "
                  "gaps, or leave it so if they are to come",
                  list(missing), missing.size() + first, seen.size()));
}

void remark_unknown(Split split, std::span<const std::int32_t> labels, const Seen& trained,
                    std::vector<std::string>& remarks) {
  const auto unknown = [&](std::int32_t label) { return !contains(trained, label); };
  const auto first = std::ranges::find_if(labels, unknown);
  if (first == labels.end()) return;
  remarks.push_back(
      fmt::format("{} of the {} {} samples have a label that no training sample has, and will not be recognised: the "
                  "first is sample {} (counted from 0) with label {}",
                  std::ranges::count_if(labels, unknown), labels.size(), name(split), first - labels.begin(), *first));
}

}  // namespace

std::vector<std::string> label_remarks(const SplitLabels& labels, std::optional<std::int64_t> classes) {
  std::vector<std::string> remarks;
  Seen trained;
  mark(labels.train, trained);
  Seen anywhere = trained;
  mark(labels.dev, anywhere);
  mark(labels.test, anywhere);
  if (!classes) {
    remark_gaps(anywhere, remarks);
  } else if (only_zero_is_missing(anywhere, *classes)) {
    remarks.push_back(counted_from(anywhere, fmt::format(", and give num_classes={}", *classes - 1)));
  }
  remark_unknown(Split::dev, labels.dev, trained, remarks);
  remark_unknown(Split::test, labels.test, trained, remarks);
  return remarks;
}

}  // namespace lockstep
