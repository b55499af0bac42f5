#pragma once

#include <cstdint>
#include <string>

#include "base/temporary_file.h"
#include "data/predictions/prediction_rows.h"
#include "data/sequences/symbol_texts.h"

namespace lockstep {

// Origin of predictions: attributes of the file.
struct PredictionOrigin {
  std::string problem{};
  std::string split{};
  std::string model{};
  std::int64_t step = 0;
  std::string checkpoint{};  // its file's name
  std::string weights{};     // "ema" or "plain"
};

// File offsets of the rows of each data set.
struct PredictionPlaces {
  std::int64_t predictions = 0;    // data set /predictions: (N) int32 classes, or (N, K) float32 numbers
  std::int64_t probabilities = 0;  // data set /probabilities, (N, C) float32; for classes only

  // Sequences only. Their symbols are the N rows of /predictions, and of /probabilities, which is (N) then.
  std::int64_t targets = 0;  // data set /targets, (N) int32
  std::int64_t losses = 0;   // data set /losses, (N) float32
  std::int64_t offsets =
      0;  // data set /offsets, (samples + 1) int64: the rows [offsets[i], offsets[i + 1]) are those of sample i

  // 0 if the form lacks them.
  std::int64_t top = 0;                // data set /top, (N, top) int32
  std::int64_t top_probabilities = 0;  // data set /top_probabilities, (N, top) float32
  std::int64_t symbol_texts = 0;       // data set /symbol_texts, uint8: the texts of all symbols, one after the other
  std::int64_t symbol_offsets = 0;     // data set /symbol_offsets, (symbols + 1) int64: where each begins
};

// Makes `file` an HDF5 file with room for all predictions but no rows yet: these are written at their offsets without
// the library. After a failed write the library cannot be trusted (a full disk makes its exit handler crash), and a
// file of all rows may be too large to build in memory. So we first reserve disk space for everything, then the library
// lays the file out in memory, where rows that it does not write take no space, and the headers are copied. symbols:
// written as /symbol_texts if the form has texts. Throws Error(cannot_write) if there is no room; Error(internal) with
// the library's message.
PredictionPlaces lay_out_predictions(const TemporaryFile& file, const PredictionForm& form,
                                     const PredictionOrigin& origin, const SymbolTexts& symbols);

}  // namespace lockstep
