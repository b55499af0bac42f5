#pragma once

#include <string>

#include "checkpoint/state.h"
#include "data/sequences/symbol_texts.h"
#include "tensor/problem_shape.h"
#include "train/saved/saved_model.h"

namespace lockstep {

// The difference between the vocabularies of a problem and of a checkpoint `file`, in words; "" if they do not differ,
// or if one of them has none. here, tokenizer: the problem's; the tokenizer may be null. Throws Error(bad_data) of
// every rank if the checkpoint's cannot be read.
std::string vocabulary_change(const std::string& file, const CheckpointHeader& saved, const ProblemShape& here,
                              const Tokenizer* tokenizer);

// The texts of the symbols that a saved model predicts; none if they stand for no text, or the file lacks them. Throws
// Error(bad_data) of every rank if they cannot be read, or are not as many as the model predicts.
SymbolTexts saved_symbol_texts(const SavedModel& saved);

}  // namespace lockstep
