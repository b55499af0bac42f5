#include "checkpoint/missed_batches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <string>

#include "base/error.h"
#include "base/printable.h"
#include "checkpoint/format.h"
#include "checkpoint/hdf5_reader.h"
#include "checkpoint/hdf5_writer.h"

namespace lockstep {

void put_missed(CheckpointHdf5Writer& file, const std::vector<std::vector<std::int64_t>>& missed) {
  LS_CHECK(!missed.empty() && std::ssize(missed) <= kMostMissedBatches, "a number of missed batches out of range");
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> samples;
  for (const std::vector<std::int64_t>& batch : missed) {
    LS_CHECK(!batch.empty(), "an empty missed batch");
    counts.push_back(std::ssize(batch));
    samples.insert(samples.end(), batch.begin(), batch.end());
  }
  file.whole_numbers(kMissedCountsDataSet, counts);
  file.whole_numbers(kMissedSamplesDataSet, samples);
}

std::vector<std::vector<std::int64_t>> read_missed(const CheckpointHdf5Reader& file) {
  const std::vector<std::string> found = file.data_sets(kMissedGroup);
  if (found.empty()) return {};
  if (found != std::vector<std::string>{"counts", "samples"}) {
    file.refuse(fmt::format("{} has the data sets {}; it needs counts and samples, and has no others", kMissedGroup,
                            escaped(fmt::format("{}", fmt::join(found, ", ")))));
  }
  const std::vector<std::int64_t> counts = file.whole_numbers(kMissedCountsDataSet, 1, kMostMissedBatches);
  const std::vector<std::int64_t> samples =
      file.whole_numbers(kMissedSamplesDataSet, 0, std::numeric_limits<std::int64_t>::max());
  std::vector<std::vector<std::int64_t>> missed;
  auto begin = samples.begin();
  for (const std::int64_t count : counts) {
    if (count > samples.end() - begin) break;
    missed.emplace_back(begin, begin + count);
    begin += count;
  }
  if (missed.size() < counts.size() || begin != samples.end()) {
    file.refuse(fmt::format("the numbers in {} do not add up to the {} samples in {}", kMissedCountsDataSet,
                            samples.size(), kMissedSamplesDataSet));
  }
  return missed;
}

}  // namespace lockstep
