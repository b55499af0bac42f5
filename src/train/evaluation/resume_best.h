#pragma once

#include <cstdint>

#include "train/config/training_rank.h"
#include "train/evaluation/choose_best.h"
#include "train/output/output_folder.h"

namespace lockstep {

// The choice by the evaluations up to the step that a run resumes from, according to metrics.jsonl, best.json and the
// checkpoints there: what an undisturbed run would know after that step. No step is chosen if `resumed` is 0, the
// beginning. COLLECTIVE. Throws Error(bad_data), on the chief, for a best.json that is damaged.
PastChoice find_past_choice(const BestRules& rules, const OutputFolder& output, const TrainingRank& rank,
                            std::int64_t resumed);

// Makes best/ agree with `past`: sets aside what a later step left, and puts a best step there that was saved but not
// put there in time. Called by the chief. REQUIRES: the newer checkpoints are set aside. Throws Error(cannot_write),
// and what Lease::check() throws.
void resume_best(const BestRules& rules, const PastChoice& past, const OutputFolder& output, std::int64_t resumed);

}  // namespace lockstep
