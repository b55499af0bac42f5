#pragma once

#include <string>

#include "data/sequences/vocabulary.h"

namespace lockstep {

// Describes how two vocabularies differ, for a message: "68 symbols there and 69 here, of which number 34 is 'e' there
// and 'f' here". REQUIRES: they differ. Pure.
std::string vocabulary_difference(const Vocabulary& there, const Vocabulary& here);

}  // namespace lockstep
