#include "train/workload/measure_inputs.h"

#include <cstddef>
#include <span>
#include <vector>

namespace lockstep {

InputStatistics measure_inputs(Communicator& compute, const Problem& problem) {
  const ProblemShape shape = problem.shape();
  const std::size_t words = statistics_words(shape);
  const int size = compute.size();
  const auto first_of = [&](int rank) { return kStatisticsPieces * rank / size; };
  // all_gather takes the same amount from every rank: that of the rank with the most pieces.
  const int most = (kStatisticsPieces + size - 1) / size;
  const int begin = first_of(compute.rank());
  const int end = first_of(compute.rank() + 1);
  std::vector<double> mine = statistics_of_pieces(problem, begin, end);
  mine.resize(static_cast<std::size_t>(most) * words);
  std::vector<double> gathered(mine.size() * static_cast<std::size_t>(size));
  compute.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(gathered)));

  std::vector<double> pieces;
  for (int rank = 0; rank < size; ++rank) {
    const auto from = gathered.begin() + static_cast<std::ptrdiff_t>(mine.size()) * rank;
    const auto count = static_cast<std::ptrdiff_t>(words) * (first_of(rank + 1) - first_of(rank));
    pieces.insert(pieces.end(), from, from + count);
  }
  return combine_statistics(shape, pieces);
}

}  // namespace lockstep
