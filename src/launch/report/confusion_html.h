#pragma once

#include <string>

#include "base/json.h"

namespace lockstep {

// The confusion matrix of a details-SPLIT.json as a table whose mistakes stand out: each the darker the larger a part
// of its label it is, on a scale that ends with the largest. "" if there is none: for numbers to predict, for more than
// 100 classes, or in a file that no evaluation has written. Pure.
std::string confusion_html(const Json& details);

}  // namespace lockstep
