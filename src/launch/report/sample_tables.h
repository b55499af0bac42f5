#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "launch/report/run.h"

namespace lockstep {

// The number of characters of a text in UTF-8.
inline std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return !continues_character(byte); }));
}

// Samples and their predictions, for people.
struct SampleTable {
  struct Cell {
    std::string text{};
    std::optional<double> share{};  // the probability, 0 to 1; nothing in other cells
    std::string picture{};          // a data: URI of a PNG; "" for a cell that is a text
  };
  // A symbol of a text, and its prediction.
  struct Symbol {
    std::string target{};
    std::string prediction{};
    double loss = 0;      // loss of the target
    bool begins = false;  // true for the first symbol of its sample

    std::size_t width() const { return std::max(characters_in(target), characters_in(prediction)); }
    bool is_word() const { return width() > 1; }  // true if it needs a gap to the next
  };

  std::string title{};
  std::vector<Symbol> symbols{};  // the text, also beyond the rows; empty: symbols stand for no text
  std::vector<std::string> columns{};
  std::vector<std::vector<Cell>> rows{};  // as many cells as columns
  std::string trouble{};                  // why there are no rows; else ""
};

inline constexpr const char* kPictureColumn = "picture";

// Tables of the first samples of predictions.csv, and of the worst ones of each details-SPLIT.json; only for those that
// exist. Pure.
std::vector<SampleTable> sample_tables(const Run& run);

}  // namespace lockstep
