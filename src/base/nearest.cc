#include "base/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace lockstep {
namespace {

// Number of edits (insert, delete, replace a letter, swap two neighbours) that turn a into b. Keeps three rows of the
// usual table, because a swap looks two rows back.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_back(b.size() + 1);
  std::vector<std::size_t> back(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_back.swap(back);
    back.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = back[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({back[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
  }
  return row[b.size()];
}

constexpr std::size_t kFar = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kFewestOfBeginning = 3;
constexpr std::size_t kFewestInitials = 2;
constexpr std::size_t kLongestMeant = 1000;  // a pasted page of text is no name, and must cost nothing

std::string plain(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return result;
}

std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("_."), name.size());
    if (end > 0) words.push_back(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return words;
}

// The rules: distance of a candidate from the written word; kFar if the rule does not find it.

std::size_t by_beginning(const std::string& word, const std::string& candidate) {
  const bool found = word.size() >= kFewestOfBeginning && candidate.starts_with(word);
  return found ? candidate.size() - word.size() : kFar;
}

std::size_t by_slip(const std::string& word, const std::string& candidate) {
  const std::size_t longer = std::max(word.size(), candidate.size());
  const std::size_t shorter = std::min(word.size(), candidate.size());
  if (3 * (longer - shorter) > longer) return kFar;  // the lengths alone decide
  const std::size_t count = edits(word, candidate);
  return 3 * count > longer ? kFar : count;
}

std::size_t by_words(const std::string& word, const std::string& candidate) {
  const auto written = words_of(word);
  const auto all = words_of(candidate);
  const auto has = [&](std::string_view each) { return std::ranges::find(all, each) != all.end(); };
  const bool found = !written.empty() && written.size() < all.size() && std::ranges::all_of(written, has);
  return found ? all.size() - written.size() : kFar;
}

std::size_t by_initials(const std::string& word, const std::string& candidate) {
  std::string initials;
  for (const std::string_view each : words_of(candidate)) initials += each.front();
  return word.size() >= kFewestInitials && initials == word ? 0 : kFar;
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > kLongestMeant) return {};
  const std::string written = plain(word);
  for (const auto rule : {by_beginning, by_slip, by_words, by_initials}) {
    const std::string* best = nullptr;
    std::size_t least = kFar;
    for (const std::string& candidate : candidates) {
      const std::size_t far = rule(written, plain(candidate));
      if (far >= least) continue;
      best = &candidate;
      least = far;
    }
    if (best != nullptr) return *best;
  }
  return {};
}

std::string suggestion(std::string_view name) {
  return name.empty() ? std::string() : fmt::format(" (did you mean '{}'?)", name);
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  return suggestion(nearest(word, candidates));
}

bool is_same_name(std::string_view a, std::string_view b) { return a.size() == b.size() && plain(a) == plain(b); }

std::string one_of(std::span<const std::string> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string expected_one_of(std::span<const std::string> candidates, std::string_view word) {
  return "expected " + one_of(candidates) + did_you_mean(word, candidates);
}

}  // namespace lockstep
