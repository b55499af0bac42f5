#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/temporary_file.h"
#include "data/predictions/prediction_hdf5.h"
#include "data/predictions/prediction_rows.h"

namespace lockstep {

// The files of predictions, predictions.h5 and predictions.csv in a folder. They are written under temporary names and
// renamed when they are complete; incomplete ones are removed. One thread at a time. Throws Error(cannot_write) that
// names the file.
class PredictionFiles {
 public:
  // Makes the folder. Throws Error(configuration) if one of the files exists and may not be replaced.
  enum class Existing { refused, replaced };
  static void check_folder(const std::string& folder, Existing existing);

  // symbols: the texts that symbols stand for, if the form has them.
  PredictionFiles(const std::string& folder, const PredictionForm& form, const PredictionOrigin& origin,
                  const SymbolTexts& symbols = {});

  // Adds the next rows, and their lines (prediction_text.h).
  void put(const PredictionRows& rows, std::string_view lines);
  // Gives the files their final names, replacing older ones. Even if this is interrupted, files of different
  // predictions never lie next to each other: the older CSV file is removed first, and the new one comes last.
  // REQUIRES: all rows were put.
  void publish();

  const std::string& hdf5_path() const { return hdf5_.place(); }
  const std::string& csv_path() const { return csv_.place(); }

 private:
  void put_symbols(const SymbolTexts& symbols);
  void put_sequences(const PredictionRows& rows);
  void flush_on_the_way(std::size_t bytes);
  void remove_older_csv();

  std::string folder_;
  PredictionForm form_;
  TemporaryFile hdf5_;
  TemporaryFile csv_;
  PredictionPlaces places_;
  std::int64_t samples_ = 0;   // samples put so far
  std::int64_t rows_ = 0;      // their rows: one each, or the symbols of sequences
  std::size_t unflushed_ = 0;  // bytes since the last start_flush()
};

}  // namespace lockstep
