#pragma once

#include <span>
#include <string>
#include <vector>

namespace lockstep {

// Lines of text in columns as wide as their widest cell, two blanks apart: the first column is aligned to the left, the
// others to the right, as for numbers. rows: the first is the head; each has as many cells. Pure.
std::string text_table(std::span<const std::vector<std::string>> rows);

}  // namespace lockstep
