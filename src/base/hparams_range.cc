#include "base/hparams_range.h"

#include <cmath>

#include <fmt/format.h>

#include "base/error.h"

namespace lockstep {
namespace {

template <class T>
[[noreturn]] void refuse(std::string_view name, T value, const std::string& range) {
  throw Error(ExitCode::usage, fmt::format("hparam {} is {}; it has to be {}", name, value, range), Scope::every_rank);
}

}  // namespace

std::int64_t integer_in(const HParams& hparams, std::string_view name, std::int64_t least, std::int64_t most) {
  const std::int64_t value = hparams.integer(name);
  if (value >= least && value <= most) return value;
  refuse(name, value,
         most == kNoMaximum ? fmt::format("at least {}", least) : fmt::format("between {} and {}", least, most));
}

double number_in(const HParams& hparams, std::string_view name, double least, double below) {
  const double value = hparams.number(name);
  if (value >= least && value < below) return value;
  refuse(name, value,
         std::isfinite(below) ? fmt::format("at least {} and below {}", least, below)
                              : fmt::format("a number of at least {}", least));
}

std::int64_t integer_or(std::int64_t otherwise, const HParams& hparams, std::string_view name, std::int64_t least,
                        std::int64_t most) {
  return hparams.has(name) ? integer_in(hparams, name, least, most) : otherwise;
}

double number_or(double otherwise, const HParams& hparams, std::string_view name, double least, double below) {
  return hparams.has(name) ? number_in(hparams, name, least, below) : otherwise;
}

bool boolean_or(bool otherwise, const HParams& hparams, std::string_view name) {
  return hparams.has(name) ? hparams.boolean(name) : otherwise;
}

}  // namespace lockstep
