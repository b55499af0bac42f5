#include "data/sequences/sequence_packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/error.h"

namespace lockstep {
namespace {

// Symbol numbers are used as indices from here on, so we check them even if a user wrote the reader.
void check_symbols(std::span<const std::int32_t> symbols, const char* what, std::int64_t vocabulary, Split split,
                   std::int64_t sample) {
  const auto outside =
      std::ranges::find_if(symbols, [&](std::int32_t symbol) { return symbol < 0 || symbol >= vocabulary; });
  if (outside != symbols.end()) {
    throw Error(ExitCode::bad_data,
                fmt::format("sample {} of the {} split has {} at position {} of its {}, outside the vocabulary 0 to "
                            "{}; fix the data",
                            sample, name(split), *outside, outside - symbols.begin(), what, vocabulary - 1));
  }
  if (std::ssize(symbols) <= kMostPositions) return;
  throw Error(ExitCode::bad_data, fmt::format("sample {} of the {} split has {} of {} symbols; there may be {}", sample,
                                              name(split), what, symbols.size(), kMostPositions));
}

void number_rows(std::int64_t sample, std::span<std::int64_t> ids) {
  std::iota(ids.begin(), ids.end(), sample * kMostPositions);
}

}  // namespace

void SequencePacking::read(const Problem& problem, std::int64_t vocabulary, Split split,
                           std::span<const std::int64_t> samples) {
  samples_.assign(samples.begin(), samples.end());
  pairs_.resize(std::max(pairs_.size(), samples.size()));
  sequences_.clear();
  source_positions_.clear();
  SequenceRows at;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    SequencePair& pair = pairs_[i];
    pair.before = kPadSymbol;
    problem.read(split, samples[i], {.pair = &pair});
    check_symbols(pair.targets, "targets", vocabulary, split, samples[i]);
    check_symbols(pair.inputs, "inputs", vocabulary, split, samples[i]);
    check_symbols({&pair.before, 1}, "symbol before the targets", vocabulary, split, samples[i]);
    add_source_positions(pair.inputs);
    at = {.begin = at.end,
          .end = at.end + std::ssize(pair.targets),
          .source_begin = at.source_end,
          .source_end = source_rows()};
    sequences_.push_back(at);
  }
}

void SequencePacking::add_source_positions(std::span<const std::int32_t> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] != kPadSymbol) source_positions_.push_back(static_cast<std::int32_t>(i));
  }
}

void SequencePacking::write(const Batch& batch) const {
  const auto inputs = batch.inputs.span<std::int32_t>();
  const auto targets = batch.targets.span<std::int32_t>();
  const auto weights = batch.weights.span<float>();
  const auto row_ids = batch.row_ids.span<std::int64_t>();
  const auto source = batch.source.span<std::int32_t>();
  const auto source_ids = batch.source_ids.span<std::int64_t>();
  const auto place = [](auto rows, std::int64_t begin, std::int64_t end) {
    return rows.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  };
  for (std::size_t i = 0; i < sequences_.size(); ++i) {
    const auto& [begin, end, source_begin, source_end] = sequences_[i];
    const SequencePair& pair = pairs_[i];
    std::ranges::copy(pair.targets, place(targets, begin, end).begin());
    const auto shifted = place(inputs, begin, end);
    if (!shifted.empty()) {
      shifted.front() = pair.before;
      std::copy(pair.targets.begin(), pair.targets.end() - 1, shifted.begin() + 1);
    }
    std::ranges::transform(pair.targets, place(weights, begin, end).begin(),
                           [](std::int32_t symbol) { return symbol == kPadSymbol ? 0.0F : 1.0F; });
    number_rows(samples_[i], place(row_ids, begin, end));
    const auto positions = place(source_positions(), source_begin, source_end);
    const auto symbol_at = [&pair](std::int32_t position) { return pair.inputs[static_cast<std::size_t>(position)]; };
    std::ranges::transform(positions, place(source, source_begin, source_end).begin(), symbol_at);
    std::ranges::transform(positions, place(source_ids, source_begin, source_end).begin(),
                           [&](std::int32_t position) { return samples_[i] * kMostPositions + position; });
  }
}

}  // namespace lockstep
