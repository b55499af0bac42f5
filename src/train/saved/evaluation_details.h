#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/config/training_rank.h"
#include "train/evaluation.h"
#include "train/saved/confusion.h"
#include "train/saved/saved_model.h"
#include "train/saved/worst_samples.h"

namespace lockstep {

// What an evaluation says beside its means: of class labels what each class comes to, and the samples with the largest
// loss; of numbers to predict, those with the largest squared error (its mean over the numbers of a sample). Values of
// a worst sample: label, prediction, probability of the label; or its targets, then its predictions. Of sequences, each
// symbol that counts is such a sample, by the number of its row (tensor/batch.h).
struct EvaluationDetails {
  std::optional<Confusion> confusion{};  // of class labels
  WorstSamples worst;
  bool sequences = false;
  std::vector<std::string> texts{};  // of the symbols that are the classes (printable_texts()); empty: they have none
  std::vector<std::string> pictures{};  // of the worst samples, a small PNG each; empty: they are no pictures
};

// Of the samples that evaluate_saved() evaluates, by a pass of its own. Equal to the last digit for any number of
// ranks. COLLECTIVE; the chief's are those of all ranks, others have their own.
//
// REQUIRES: evaluate_saved() has found their loss finite.
EvaluationDetails details_of(SavedModel& saved, const OpenedSplit& on, const TrainingRank& rank);

}  // namespace lockstep
