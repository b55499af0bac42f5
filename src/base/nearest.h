#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lockstep {

// The candidate with the fewest edits from word (Damerau-Levenshtein distance, optimal string alignment), or "" if
// none is near enough to be meant: more than a third of the longer word's letters differ.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

// " (did you mean 'x'?)" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace lockstep
