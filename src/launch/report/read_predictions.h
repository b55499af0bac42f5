#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "launch/report/run.h"

namespace lockstep {

// Numbers of samples, or of symbols of sequences, that a report shows of a predictions.csv
// (data/predictions/prediction_text.h), from the first on; more for symbols that stand for texts, as these take less
// room. Only the beginning of the file is read, whatever its size.
inline constexpr std::size_t kPredictionsShown = 20;
inline constexpr std::size_t kTextsShown = 200;

// The columns of the first lines of a file, "sample" first; none if there is no such file. Throws Error: missing_input
// if it cannot be read, bad_data that names the line if it is damaged.
std::vector<PredictionColumn> first_predictions(const std::string& path);

// The columns in the text that a file begins with; for Beginning::cut, its last line may be cut off. path: for
// messages. Pure.
enum class Beginning { whole_file, cut };
std::vector<PredictionColumn> first_predictions(std::string_view text, Beginning beginning, const std::string& path);

}  // namespace lockstep
