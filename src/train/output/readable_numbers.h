#pragma once

#include <string>

// Numbers as shown in lines for people. Pure.
namespace lockstep {

// A share in per cent: 0.118 -> "12 %".
std::string percent(double share);

// A rounded whole number: 84512.3 -> "84,512".
std::string thousands(double number);

// A number in four significant digits: 0.30000000000000004 -> "0.3", or as a whole one if large: 84512.3 -> "84,512".
// "not finite" if it is not.
std::string rounded(double number);

// A duration: 42.04 -> "42.0s", 185 -> "3m05s", 3725 -> "1h02m", 183600 -> "2d03h".
std::string duration_text(double seconds);

}  // namespace lockstep
