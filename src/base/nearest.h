#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lockstep {

// The candidate that a name from a user most likely means, or "" if none is near enough. Capitals and dashes count as
// small letters and underscores. The first of these rules that finds any decides; of several candidates the nearest is
// taken, then the first:
//
//   its beginning            of three letters or more: "conv" is convnet, "eval" is evaluate and not continuous_eval
//   a slip of the keyboard   at most a third of the longer name's letters differ (Damerau-Levenshtein distance, optimal
//                            string alignment): "optimiser" is optimizer
//   some of its words        "mnist" is image_mnist, "fashion_mnist" is image_fashion_mnist
//   its initials             of two letters or more: "lr" is learning_rate
std::string nearest(std::string_view word, std::span<const std::string> candidates);

// The text " (did you mean 'x'?)" for a name; "" for "".
std::string suggestion(std::string_view name);
// The suggestion of the nearest candidate.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// True if two names differ at most in capitals and dashes.
bool is_same_name(std::string_view a, std::string_view b);

// The names as a text: "auto, inline or thread".
std::string one_of(std::span<const std::string> names);
// The text "expected auto, inline or thread", and a suggestion for the word.
std::string expected_one_of(std::span<const std::string> candidates, std::string_view word);

}  // namespace lockstep
