#pragma once

#include <string>
#include <string_view>
#include <vector>

// Fields of a line of CSV, as RFC 4180 quotes them. No field has a line end. Pure.
namespace lockstep {

// Quotes a field for a line if it has a comma or a quote; each quote in it is doubled.
std::string csv_field(std::string_view text);

// The fields of a line, without their quotes; at least one.
std::vector<std::string> csv_fields(std::string_view line);

}  // namespace lockstep
