#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/predictions/prediction_rows.h"
#include "data/sequences/symbol_texts.h"

// Predictions as CSV: a line of names, then a line for each sample, in order. Floats have the fewest digits that read
// back as the same float. Pure functions.
//
//   classes         sample,prediction,probability              the class, and how sure the model is of it
//   a number        sample,prediction
//   more of them    sample,prediction_0,prediction_1,...
//   sequences       sample,position,prediction,probability,target,loss     a line for each symbol
//
// With form.top classes and symbols have top_1,top_1_probability,top_2,... after these. Texts come last, so that no
// comma in one moves a number: prediction_text,target_text, and top_1_text,top_2_text,...
namespace lockstep {

inline constexpr const char* kPredictionsCsv = "predictions.csv";

std::string prediction_header(const PredictionForm& form);
// Suffix of a text column's name, after the name of the column of numbers that it belongs to.
inline constexpr const char* kTextSuffix = "_text";
// True for a column that has texts, not numbers.
bool is_text_column(std::string_view name);

// The fields that append_predictions() writes, one for each symbol that stands for a text: printable_texts(), quoted
// where CSV needs it.
std::vector<std::string> text_fields(const SymbolTexts& symbols);

// Appends the lines of the rows to `text`. fields: text_fields(), if the form has texts.
void append_predictions(const PredictionForm& form, const PredictionRows& rows, std::string& text,
                        std::span<const std::string> fields = {});

}  // namespace lockstep
