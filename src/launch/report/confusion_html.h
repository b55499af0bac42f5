#pragma once

#include <string>

#include "base/json.h"

namespace lockstep {

// The confusion matrix of a details-SPLIT.json as a table whose mistakes stand out: a cell is the darker, the larger
// its part of the label's samples; the largest such part is the darkest. "" if there is none: for numbers to predict,
// for more than 100 classes, or in a file that no evaluation has written. Pure.
std::string confusion_html(const Json& details);

}  // namespace lockstep
