#pragma once

#include <string>

#include "case.h"
#include "measurement.h"

namespace lockstep::bench {

// The result as one JSON object; below, as a line of a table for people.
std::string result_json(const Case& c, const Result& result);
std::string table_head(const Case& c);
std::string table_line(const Case& c, const Result& result);

}  // namespace lockstep::bench
