#pragma once

#include <string>

#include "case.h"
#include "measurement.h"

namespace lockstep::bench {

// The result as one line of JSON.
std::string result_json(const Case& c, const Result& result);
// A table for people: its head, and a result as one of its lines.
std::string table_head(const Case& c);
std::string table_line(const Case& c, const Result& result);

}  // namespace lockstep::bench
