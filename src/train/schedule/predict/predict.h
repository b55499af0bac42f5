#pragma once

#include "train/config/settings.h"
#include "train/config/training_rank.h"
#include "train/registry/registry.h"
#include "train/schedule/schedule_end.h"

namespace lockstep {

// --schedule=predict: writes a checkpoint's predictions for each sample of a split, in order, into predictions.h5 and
// predictions.csv of --output_dir; for sequences, a prediction of each symbol from the right ones before it. The files
// also have the texts that symbols stand for, and the most probable symbols of --predict_top. Answers with a line of
// JSON that names the files. All ranks compute, the chief alone writes; memory does not depend on the number of
// samples, and no byte of the files on the number of ranks. A request to stop ends it with the signal's code and no
// files. COLLECTIVE.
//
// Throws Error: configuration if the files exist and --overwrite is not given, or for a --predict_top that the model
// does not have; cannot_write; what open_saved() and SavedModel throw; and internal for a prediction that is not
// finite.
ScheduleEnd run_predict(const TrainSettings& settings, const Registry& registry, const TrainingRank& rank);

}  // namespace lockstep
