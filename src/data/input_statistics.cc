#include "data/input_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "data/sample_values.h"

namespace lockstep {
namespace {

std::int64_t channels_of(const ProblemShape& shape) {
  return shape.input.rank() == 0 ? 1 : shape.input[shape.input.rank() - 1];
}

// Sums of a piece. Values are taken relative to the piece's first one in their channel, so that a large mean costs no
// digits. The values of a sample go to `lanes` sums in turn, several per channel if channels are few: these sums do not
// wait for each other, and their order does not depend on the vector length.
class PieceSums {
 public:
  explicit PieceSums(std::int64_t channels)
      : channels_(static_cast<std::size_t>(channels)),
        lanes_(channels_ * std::max<std::size_t>(1, kLanes / channels_)),
        origin_(lanes_),
        sum_(lanes_),
        squares_(lanes_) {}

  void add(std::span<const float> values) {
    if (samples_++ == 0) {
      for (std::size_t lane = 0; lane < lanes_; ++lane) origin_[lane] = values[lane % channels_];
    }
    values_ += values.size() / channels_;
    while (!values.empty()) {
      const std::size_t count = std::min(lanes_, values.size());
      for (std::size_t lane = 0; lane < count; ++lane) {
        const double difference = values[lane] - origin_[lane];
        sum_[lane] += difference;
        squares_[lane] += difference * difference;
      }
      values = values.subspan(count);
    }
  }

  bool finite() const {
    return std::ranges::all_of(sum_, [](double sum) { return std::isfinite(sum); });
  }

  void write(std::span<double> words) const {
    words[0] = static_cast<double>(values_);
    for (std::size_t channel = 0; channel < channels_; ++channel) {
      double sum = 0;
      double squares = 0;
      for (std::size_t lane = channel; lane < lanes_; lane += channels_) {
        sum += sum_[lane];
        squares += squares_[lane];
      }
      const double count = static_cast<double>(std::max<std::size_t>(values_, 1));
      words[1 + 2 * channel] = origin_[channel] + sum / count;
      words[2 + 2 * channel] = std::max(0.0, squares - sum * sum / count);
    }
  }

 private:
  static constexpr std::size_t kLanes = 8;

  std::size_t channels_;
  std::size_t lanes_;
  std::vector<double> origin_;
  std::vector<double> sum_;
  std::vector<double> squares_;
  std::size_t samples_ = 0;
  std::size_t values_ = 0;  // in a channel
};

[[noreturn]] void refuse_first_not_finite(const Problem& problem, std::int64_t first, std::int64_t last) {
  for (std::int64_t sample = first; sample < last; ++sample) {
    const std::vector<float> values = read_sample(problem, Split::train, sample).input;
    const auto bad = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
    if (bad == values.end()) continue;
    throw Error(ExitCode::bad_data,
                fmt::format("sample {} of the train split (counted from 0) has the input {} at its element {}; fix the "
                            "data or remove the sample",
                            sample, *bad, bad - values.begin()));
  }
  fail(LS_HERE("refuse_first_not_finite"), "a sample that was not finite is so now; do the data change?");
}

}  // namespace

std::size_t statistics_words(const ProblemShape& shape) { return 1 + 2 * static_cast<std::size_t>(channels_of(shape)); }

std::vector<double> statistics_of_pieces(const Problem& problem, int begin, int end) {
  const ProblemShape shape = problem.shape();
  if (shape.input_type != DType::float32) {
    throw Error(
        ExitCode::configuration,
        "hparam normalize_inputs is True, but the problem's inputs are numbers of symbols, which have no mean; set "
        "it to False",
        Scope::every_rank);
  }
  const std::int64_t samples = problem.count(Split::train);
  const std::size_t words = statistics_words(shape);
  std::vector<double> pieces(words * static_cast<std::size_t>(end - begin));
  SampleValues values;
  for (int piece = begin; piece < end; ++piece) {
    PieceSums sums(channels_of(shape));
    const std::int64_t first = samples * piece / kStatisticsPieces;
    const std::int64_t last = samples * (piece + 1) / kStatisticsPieces;
    for (std::int64_t sample = first; sample < last; ++sample) {
      values.read(problem, shape, Split::train, sample);
      sums.add(values.input);
    }
    if (!sums.finite()) refuse_first_not_finite(problem, first, last);
    sums.write(std::span(pieces).subspan(words * static_cast<std::size_t>(piece - begin), words));
  }
  return pieces;
}

InputStatistics combine_statistics(const ProblemShape& shape, std::span<const double> pieces) {
  const std::size_t words = statistics_words(shape);
  const auto channels = static_cast<std::size_t>(channels_of(shape));
  LS_CHECK(pieces.size() == words * kStatisticsPieces, "all pieces");
  InputStatistics result;
  result.mean.resize(channels);
  result.stddev.resize(channels);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    double count = 0;
    double mean = 0;
    double squares = 0;
    for (std::size_t at = 0; at < pieces.size(); at += words) {
      const double more = pieces[at];
      if (more == 0) continue;  // fewer samples than pieces
      // n = a + b, mean = mean_a + d b / n, squares = squares_a + squares_b + d^2 a b / n, d = mean_b - mean_a
      const double distance = pieces[at + 1 + 2 * channel] - mean;
      const double total = count + more;
      mean += distance * (more / total);
      squares += pieces[at + 2 + 2 * channel] + distance * distance * (count * more / total);
      count = total;
    }
    const double stddev = std::sqrt(squares / std::max(count, 1.0));
    result.mean[channel] = mean;
    result.stddev[channel] = stddev > 0 ? stddev : 1;
  }
  return result;
}

}  // namespace lockstep
