#include "train/config/data_digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/sha256.h"
#include "data/sample_values.h"

namespace lockstep {
namespace {

// Gives f the bytes of a sample, part by part. Those of a sequence include the lengths, so that no symbol can move from
// the inputs to the targets unnoticed.
template <class F>
void for_each_part(const SampleValues& of, const ProblemShape& shape, const F& f) {
  if (shape.has_sequences()) {
    const SequencePair& pair = of.pair;
    const std::array<std::int64_t, 3> form{std::ssize(pair.inputs), std::ssize(pair.targets), pair.before};
    f(std::as_bytes(std::span(form)));
    f(std::as_bytes(std::span(pair.inputs)));
    f(std::as_bytes(std::span(pair.targets)));
    return;
  }
  f(std::as_bytes(std::span(of.input)));
  f(std::as_bytes(std::span(of.ids)));
  f(std::as_bytes(std::span(of.target)));
  f(std::as_bytes(std::span(&of.label, 1)));
}

// A checksum at gigabytes per second, ten times as fast as SHA-256; against accidents, not against forgery. Each step
// is one-to-one in the state and in the word, so a single word that differs always changes the result.
class Checksum {
 public:
  void update(std::span<const std::byte> bytes) {
    std::uint64_t word = 0;
    for (; bytes.size() >= sizeof word; bytes = bytes.subspan(sizeof word)) {
      std::memcpy(&word, bytes.data(), sizeof word);
      add(word);
    }
    if (bytes.empty()) return;
    word = 0;
    std::memcpy(&word, bytes.data(), bytes.size());
    add(word);
  }

  std::uint64_t value() const { return state_; }

 private:
  void add(std::uint64_t word) {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
    state_ = std::rotl((state_ ^ word) * kOdd, 29);
  }

  std::uint64_t state_ = 0;
};

// The number of the i-th of `looked_at` samples that are spread evenly over `count`.
std::int64_t spread_sample(std::int64_t i, std::int64_t looked_at, std::int64_t count) {
  return looked_at == 1 ? 0 : (count - 1) * i / (looked_at - 1);
}

// Bytes of a sample's inputs; for sequences, the mean over some samples, with the targets. At least 1.
std::int64_t bytes_of_sample(const Problem& problem, Split split) {
  const std::int64_t row = static_cast<std::int64_t>(sizeof(float)) *
                           std::max<std::int64_t>(problem.shape().input.elements(), 1);  // those of a symbol are its id
  const std::int64_t count = problem.count(split);
  if (count == 0) return row;
  const std::int64_t looked_at = std::min<std::int64_t>(64, count);
  std::int64_t symbols = 0;
  for (std::int64_t i = 0; i < looked_at; ++i) {
    const SequenceLengths lengths = problem.lengths(split, spread_sample(i, looked_at, count));
    symbols += lengths.inputs + lengths.targets;
  }
  return row * std::max<std::int64_t>(symbols / looked_at, 1);
}

}  // namespace

std::string data_digest(const Problem& problem, Split split) {
  constexpr std::int64_t kSamples = 16;  // few, as each may cost a block of a stream to read
  constexpr std::size_t kDigits = 16;
  const ProblemShape shape = problem.shape();
  SampleValues values;
  Sha256 sha;
  const std::int64_t count = problem.count(split);
  const std::int64_t looked_at = std::min(kSamples, count);
  for (std::int64_t i = 0; i < looked_at; ++i) {
    values.read(problem, shape, split, spread_sample(i, looked_at, count));
    for_each_part(values, shape, [&](std::span<const std::byte> part) { sha.update(part); });
  }
  return hex(sha.finish()).substr(0, kDigits);
}

std::int64_t ComparedSamples::block_at(std::int64_t i) const {
  if (looked_at == 1) return 0;
  // (blocks - 1) i / (looked_at - 1), computed without the product, which may overflow
  const std::int64_t whole = (blocks - 1) / (looked_at - 1);
  const std::int64_t rest = (blocks - 1) % (looked_at - 1);
  return whole * i + rest * i / (looked_at - 1);
}

ComparedSamples compared_samples(std::int64_t samples, std::int64_t block, std::int64_t sample_bytes,
                                 std::int64_t most_bytes) {
  ComparedSamples result{.block = std::max<std::int64_t>(block, 1)};
  result.blocks = (samples + result.block - 1) / result.block;
  const std::int64_t fitting = most_bytes / sample_bytes / result.block;
  result.looked_at = std::min(std::max<std::int64_t>(fitting, 2), result.blocks);
  return result;
}

std::string data_checksum(const Problem& problem, Split split) {
  const bool train = split == Split::train;
  const std::int64_t count = problem.count(split);
  const std::int64_t sample_bytes = bytes_of_sample(problem, split);
  // A sample that is not in memory may cost a block of a file: neighbours cost no more.
  constexpr std::int64_t kNeighbourBytes = 1 << 20;
  const std::int64_t block = std::max(train ? problem.layout().block : 0, kNeighbourBytes / sample_bytes);
  const ComparedSamples samples =
      compared_samples(count, block, sample_bytes, train ? ComparedSamples::kTrainBytes : ComparedSamples::kOtherBytes);
  const ProblemShape shape = problem.shape();
  SampleValues values;
  Checksum sum;
  for (std::int64_t i = 0; i < samples.looked_at; ++i) {
    const std::int64_t first = samples.block_at(i) * samples.block;
    for (std::int64_t sample = first; sample < std::min(first + samples.block, count); ++sample) {
      values.read(problem, shape, split, sample);
      for_each_part(values, shape, [&](std::span<const std::byte> part) { sum.update(part); });
    }
  }
  return fmt::format("{:016x}", sum.value());
}

}  // namespace lockstep
