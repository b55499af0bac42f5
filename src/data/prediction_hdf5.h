#pragma once

#include <cstdint>
#include <string>

#include "base/temporary_file.h"
#include "data/prediction_rows.h"
#include "data/sequences/symbol_texts.h"

namespace lockstep {

// Where predictions come from: attributes of the file.
struct PredictionOrigin {
  std::string problem{};
  std::string split{};
  std::string model{};
  std::int64_t step = 0;
  std::string checkpoint{};  // its file's name
  std::string weights{};     // "ema" or "plain"
};

// The places in an HDF5 file at which its rows lie, one after the other.
struct PredictionPlaces {
  std::int64_t predictions = 0;    // of data set /predictions: (N) int32 classes, or (N, K) float32 numbers
  std::int64_t probabilities = 0;  // of data set /probabilities, (N, C) float32; of classes only

  // Of sequences, whose symbols are the N rows of /predictions and of /probabilities, which is (N) then.
  std::int64_t targets = 0;  // of data set /targets, (N) int32
  std::int64_t losses = 0;   // of data set /losses, (N) float32
  std::int64_t offsets =
      0;  // of data set /offsets, (samples + 1) int64: rows [offsets[i], offsets[i + 1]) are sample i

  // 0 where the form lacks them.
  std::int64_t top = 0;                // of data set /top, (N, top) int32
  std::int64_t top_probabilities = 0;  // of data set /top_probabilities, (N, top) float32
  std::int64_t symbol_texts = 0;    // of data set /symbol_texts, uint8: the texts of all symbols, one after the other
  std::int64_t symbol_offsets = 0;  // of data set /symbol_offsets, (symbols + 1) int64: where each begins
};

// Makes `file` an HDF5 file with room for all predictions, and nothing in it yet: the rows are put in their places
// without the library. After a failed write its own files cannot be trusted (a full disk ends in a crash of its exit
// handler), and a file of all rows may be too large to be built in memory. So the disk keeps room for all first, then
// the library lays the file out in memory, which rows that it does not write take nothing of, and the headers are
// copied. symbols: what is written as /symbol_texts, of a form that has texts. Throws Error(cannot_write) if there is
// no room; Error(internal) with what the library says.
PredictionPlaces lay_out_predictions(const TemporaryFile& file, const PredictionForm& form,
                                     const PredictionOrigin& origin, const SymbolTexts& symbols);

}  // namespace lockstep
