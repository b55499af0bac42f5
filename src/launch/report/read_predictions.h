#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "launch/report/run.h"

namespace lockstep {

// The samples, or of sequences symbols, that a report shows of a predictions.csv (data/prediction_text.h): the first,
// and of symbols that stand for texts more, as these take less room. Of a file of any size, no more than the beginning
// is read.
inline constexpr std::size_t kPredictionsShown = 20;
inline constexpr std::size_t kTextsShown = 200;

// Its columns, "sample" first; none where there is no such file. Throws Error: missing_input where it cannot be read,
// bad_data that names the line where it is damaged.
std::vector<PredictionColumn> first_predictions(const std::string& path);

// The same of the file's beginning, whose last line may be cut off if it is not all of the file. Pure.
enum class Beginning { whole_file, cut };
std::vector<PredictionColumn> first_predictions(std::string_view text, Beginning beginning, const std::string& path);

}  // namespace lockstep
