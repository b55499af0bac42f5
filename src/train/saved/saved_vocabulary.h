#pragma once

#include <string>

#include "data/sequences/symbol_texts.h"
#include "tensor/problem_shape.h"

namespace lockstep {

// How the vocabulary of a problem differs from that of a checkpoint `file`, in words; "" if it does not, or if one of
// them has none. Throws Error(bad_data) of every rank if the checkpoint's cannot be read.
std::string vocabulary_change(const std::string& file, const ProblemShape& saved, const ProblemShape& here);

// The texts of the symbols that the model of a checkpoint `file` predicts; none where they stand for no text. Throws
// likewise, also if they are not as many as the model predicts.
SymbolTexts saved_symbol_texts(const std::string& file, const ProblemShape& saved);

}  // namespace lockstep
