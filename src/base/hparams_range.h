#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "base/hparams.h"

// Hyperparameters that must lie in a range. A missing name or another type is refused as by HParams itself; a value out
// of range is an Error(usage) of every rank that names the hparam, its value and the range.
namespace lockstep {

inline constexpr std::int64_t kNoMaximum = std::numeric_limits<std::int64_t>::max();

// The value of an integer hparam: least <= value <= most.
std::int64_t integer_in(const HParams& hparams, std::string_view name, std::int64_t least,
                        std::int64_t most = kNoMaximum);

// The value of a number: least <= value < below. NaN and infinity are in no range.
double number_in(const HParams& hparams, std::string_view name, double least,
                 double below = std::numeric_limits<double>::infinity());

// The same for an hparam that a set may lack, as users' own sets do: then `otherwise`. A boolean has no range.
std::int64_t integer_or(std::int64_t otherwise, const HParams& hparams, std::string_view name, std::int64_t least,
                        std::int64_t most = kNoMaximum);
double number_or(double otherwise, const HParams& hparams, std::string_view name, double least,
                 double below = std::numeric_limits<double>::infinity());
bool boolean_or(bool otherwise, const HParams& hparams, std::string_view name);

}  // namespace lockstep
