#pragma once

#include <memory>

#include "train/metrics.h"
#include "train/settings.h"
#include "train/training.h"

namespace lockstep {

// Makes --output_dir with its log folder, opens every rank's log there, and gives the chief its metrics file; null on
// the other ranks, and where there is no --output_dir. COLLECTIVE. Throws Error(cannot_write).
std::unique_ptr<MetricsFile> open_output_folder(const TrainSettings& settings, const TrainingRank& rank);

}  // namespace lockstep
