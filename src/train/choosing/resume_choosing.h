#pragma once

#include <cstdint>

#include "train/choosing/choosing.h"
#include "train/config/training_rank.h"
#include "train/output/output_folder.h"

namespace lockstep {

// What the evaluations up to the step that a run resumes from have chosen, as metrics.jsonl, best.json and the
// checkpoints there say: what an undisturbed run would know after that step. Nothing if `resumed` is 0, the beginning.
// COLLECTIVE. Throws Error(bad_data), on the chief, for a best.json that is damaged.
PastChoice find_past_choice(const ChoosingRules& rules, const OutputFolder& output, const TrainingRank& rank,
                            std::int64_t resumed);

// Makes best/ agree with that: what a later step left is set aside, and a best step that was saved and not put there in
// time is. The chief's. REQUIRES: the newer checkpoints are set aside. Throws Error(cannot_write).
void resume_best(const ChoosingRules& rules, const PastChoice& past, const OutputFolder& output, std::int64_t resumed);

}  // namespace lockstep
