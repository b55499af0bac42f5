#pragma once

#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/registry.h"
#include "train/schedule/schedule_end.h"

namespace lockstep {

// --schedule=predict: writes what a checkpoint predicts for each sample of a split, in order, of sequences for each
// symbol from the right ones before it, into predictions.h5 and predictions.csv of --output_dir, with the texts that
// symbols stand for and the most probable ones of --predict_top, and answers with a line of JSON that says where. All
// ranks compute, the chief alone writes; memory does not depend on the number of samples, and no byte of the files on
// the number of ranks. A request to stop ends it with the signal's code and no files. COLLECTIVE.
//
// Throws Error: configuration where the files are there without --overwrite, cannot_write, what SavedModel throws, and
// internal for a prediction that is not finite.
ScheduleEnd run_predict(const TrainSettings& settings, const Registry& registry, const TrainingRank& rank);

}  // namespace lockstep
