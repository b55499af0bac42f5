#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/problem.h"

namespace lockstep {

// Mean and standard deviation of the training split's inputs for each channel (the last axis), by which a model
// normalises them to mean 0 and standard deviation 1. For a constant channel the standard deviation is given as 1.
struct InputStatistics {
  std::vector<double> mean;
  std::vector<double> stddev;
};

// The statistics have the same bits for any number of ranks: the split is cut into a fixed number of pieces of
// neighbouring samples, each piece is summed up in the order of its samples, and the pieces are combined in their order
// (Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", COMPSTAT
// 1982). Ranks divide the pieces among themselves and gather the results; nothing else is communicated.
inline constexpr int kStatisticsPieces = 64;

// Number of doubles in a piece: one for the number of values in a channel, then for each channel their mean and the sum
// of squares of their distances from it.
std::size_t statistics_words(const ProblemShape& shape);

// Sums up the pieces [begin, end), one after the other, each statistics_words() long. Reads their samples front to
// back.
// Throws Error(bad_data) that names the sample if an input is NaN or infinite, Error(configuration) unless inputs are
// float32, and what Problem::read throws.
std::vector<double> statistics_of_pieces(const Problem& problem, int begin, int end);

// Combines all kStatisticsPieces pieces.
InputStatistics combine_statistics(const ProblemShape& shape, std::span<const double> pieces);

}  // namespace lockstep
