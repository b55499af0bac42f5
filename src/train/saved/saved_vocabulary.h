#pragma once

#include <string>

#include "base/table.h"
#include "checkpoint/state.h"
#include "data/sequences/tokenizer.h"
#include "tensor/problem_shape.h"

namespace lockstep {

// The tokenizer that a checkpoint `file` holds; nullptr if it holds none. Throws Error of every rank: configuration if
// its run chose one (hparam text_unit) that is none of the kinds, whether the file holds a vocabulary or not; bad_data
// if it cannot be read, or has another number of symbols than the checkpoint's model. REQUIRES: saved.hparams is an
// object.
TokenizerPointer saved_tokenizer(const std::string& file, const CheckpointHeader& saved,
                                 const Table<TokenizerKind>& kinds);

// The difference between the vocabularies of a problem and of a checkpoint `file`, in words; "" if they do not differ,
// or if one of them has none. here, tokenizer: the problem's; the tokenizer may be null. Throws what saved_tokenizer()
// throws.
std::string vocabulary_change(const std::string& file, const CheckpointHeader& saved, const ProblemShape& here,
                              const Tokenizer* tokenizer, const Table<TokenizerKind>& kinds);

}  // namespace lockstep
