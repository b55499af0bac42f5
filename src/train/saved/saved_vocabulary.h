#pragma once

#include <string>

#include "data/sequences/symbol_texts.h"
#include "tensor/problem_shape.h"

namespace lockstep {

// The difference between the vocabularies of a problem and of a checkpoint `file`, in words; "" if they do not differ,
// or if one of them has none. Throws Error(bad_data) of every rank if the checkpoint's cannot be read.
std::string vocabulary_change(const std::string& file, const ProblemShape& saved, const ProblemShape& here);

// The texts of the symbols that the model of a checkpoint `file` predicts; none if they stand for no text. Throws
// Error(bad_data) of every rank if they cannot be read, or are not as many as the model predicts.
SymbolTexts saved_symbol_texts(const std::string& file, const ProblemShape& saved);

}  // namespace lockstep
