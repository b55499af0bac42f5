#pragma once

#include <string>

#include "data/sequences/tokenizer.h"

namespace lockstep {

// Describes how the symbols of two tokenizers differ, for a message: "68 symbols there and 69 here, of which number 34
// is 'e' there and 'f' here". there: of Tokenizer::to_json(). REQUIRES: they differ. Pure. Throws JsonError.
std::string vocabulary_difference(const std::string& there, const Tokenizer& here);

}  // namespace lockstep
