#pragma once

#include <string>

#include "data/prediction_rows.h"

// Predictions as CSV: a line of names, then a line for each sample, in order. Floats have the fewest digits that read
// back as the same float. Pure functions.
//
//   classes         sample,prediction,probability              the class, and how sure the model is of it
//   a number        sample,prediction
//   more of them    sample,prediction_0,prediction_1,...
//   sequences       sample,position,prediction,probability,target,loss     a line for each symbol
namespace lockstep {

inline constexpr const char* kPredictionsCsv = "predictions.csv";

std::string prediction_header(const PredictionForm& form);
// Appends the lines.
void append_predictions(const PredictionForm& form, const PredictionRows& rows, std::string& text);

}  // namespace lockstep
