#pragma once

#include <cstdint>
#include <string>

#include "data/problem.h"

namespace lockstep {

// True if samples are pictures that can be shown: (height, width, 1) or (height, width, 3) float32 each.
bool has_pictures(const ProblemShape& shape);

// A sample as a small PNG of at most kMostPicturePixels by kMostPicturePixels pixels, for which pixels of a larger one
// are skipped: its lowest value black, its highest one white. The same bytes on every rank. Throws what Problem::read()
// throws. REQUIRES: has_pictures() of the problem's shape.
inline constexpr std::int64_t kMostPicturePixels = 64;
std::string sample_picture(const Problem& problem, Split split, std::int64_t sample);

}  // namespace lockstep
