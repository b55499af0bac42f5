#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/config/training_rank.h"
#include "train/evaluation/evaluation.h"
#include "train/saved/saved_model.h"
#include "train/schedule/evaluate/confusion.h"
#include "train/schedule/evaluate/worst_samples.h"

namespace lockstep {

// Details of an evaluation besides its means: for class labels the figures of each class, and the samples with the
// largest loss; for numbers to predict, those with the largest squared error (its mean over the numbers of a sample).
// Values of a worst sample: label, prediction, probability of the label; or its targets, then its predictions. In
// sequences, each symbol that counts is such a sample, by the number of its row (tensor/batch.h).
struct EvaluationDetails {
  std::optional<Confusion> confusion{};  // for class labels
  WorstSamples worst;
  bool sequences = false;
  std::vector<std::string> texts{};     // texts of the symbols that are the classes (printable_texts()); empty: none
  std::vector<std::string> pictures{};  // a small PNG of each worst sample; empty: they are not pictures
};

// Details of the samples that evaluate_saved() evaluates, by a pass of its own. Equal to the last digit for any number
// of ranks. COLLECTIVE; the chief gets those of all ranks, others have their own.
//
// REQUIRES: evaluate_saved() has found their loss finite.
EvaluationDetails details_of(SavedModel& saved, const OpenedSplit& on, const TrainingRank& rank);

}  // namespace lockstep
