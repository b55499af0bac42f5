#include "data/sequences/sequence_packing.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "data/batch_buffer.h"
#include "data/sequences/given_pairs.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

using Symbols = std::vector<std::int32_t>;
using Ids = std::vector<std::int64_t>;

template <class T>
std::vector<T> values(const Tensor& tensor) {
  const auto span = tensor.span<T>();
  return {span.begin(), span.end()};
}

}  // namespace

TEST_CASE("sequences lie one after the other, each target behind what stands before it") {
  const GivenPairs problem({{.inputs = {5, 1}, .targets = {7, 8, 1}},
                            {.inputs = {}, .targets = {}},
                            {.inputs = {2, 3, 4, 1}, .targets = {9, 0, 1}, .before = 6}});
  HostAllocator host;
  BatchBuffer buffer(problem.shape(), 0, host);
  const Batch& batch = buffer.batch();
  for (int turn = 0; turn < 2; ++turn) {  // the second one fills used memory
    buffer.fill(problem, Split::train, Ids{0, 1, 2});
    CHECK(batch.size() == 6);
    CHECK(values<std::int32_t>(batch.targets) == Symbols{7, 8, 1, 9, 0, 1});
    CHECK(values<std::int32_t>(batch.inputs) == Symbols{kPadSymbol, 7, 8, 6, 9, 0});
    CHECK(values<float>(batch.weights) == std::vector<float>{1, 1, 1, 1, 0, 1});  // pads have weight 0
    const std::int64_t third = 2 * kMostPositions;
    CHECK(values<std::int64_t>(batch.row_ids) == Ids{0, 1, 2, third, third + 1, third + 2});
    CHECK(values<std::int32_t>(batch.source) == Symbols{5, 1, 2, 3, 4, 1});
    CHECK(values<std::int64_t>(batch.source_ids) == Ids{0, 1, third, third + 1, third + 2, third + 3});
    const std::vector<SequenceRows> rows(batch.sequences.begin(), batch.sequences.end());
    CHECK(rows == std::vector<SequenceRows>{{.begin = 0, .end = 3, .source_begin = 0, .source_end = 2},
                                            {.begin = 3, .end = 3, .source_begin = 2, .source_end = 2},
                                            {.begin = 3, .end = 6, .source_begin = 2, .source_end = 6}});
    buffer.fill(problem, Split::train, {});
    CHECK(batch.size() == 0);
    CHECK(batch.sequences.empty());
    CHECK(batch.source.count() == 0);
  }
}

TEST_CASE("padding among the inputs is left out of the source, where the others keep their positions and numbers") {
  const GivenPairs problem({{.inputs = {0, 5, 0, 0, 1}, .targets = {7, 1}},
                            {.inputs = {0, 0}, .targets = {2}},
                            {.inputs = {4, 0}, .targets = {3}}});
  HostAllocator host;
  BatchBuffer buffer(problem.shape(), 0, host);
  const Batch& batch = buffer.batch();
  for (int turn = 0; turn < 2; ++turn) {
    buffer.fill(problem, Split::train, Ids{0, 1, 2});
    CHECK(values<std::int32_t>(batch.source) == Symbols{5, 1, 4});
    CHECK(Symbols(batch.source_positions.begin(), batch.source_positions.end()) == Symbols{1, 4, 0});
    CHECK(values<std::int64_t>(batch.source_ids) == Ids{1, 4, 2 * kMostPositions});
    CHECK(batch.sequences[0] == SequenceRows{.begin = 0, .end = 2, .source_begin = 0, .source_end = 2});
    CHECK(batch.sequences[1] == SequenceRows{.begin = 2, .end = 3, .source_begin = 2, .source_end = 2});
    CHECK(batch.sequences[2] == SequenceRows{.begin = 3, .end = 4, .source_begin = 2, .source_end = 3});
    buffer.fill(problem, Split::train, Ids{1});
    CHECK(batch.source.count() == 0);
    CHECK(batch.source_positions.empty());
  }
}

TEST_CASE("a symbol outside the vocabulary is refused with its sample and place, whoever wrote the reader") {
  const GivenPairs problem({{.inputs = {2}, .targets = {3, 10}},
                            {.inputs = {2, -1}, .targets = {1}},
                            {.inputs = {2}, .targets = {1}, .before = 11}});
  HostAllocator host;
  BatchBuffer buffer(problem.shape(), 8, host);
  const auto fill = [&](std::int64_t sample) { buffer.fill(problem, Split::train, Ids{sample}); };
  check_error(ExitCode::bad_data,
              {"sample 0 of the train split has 10 at position 1 of its targets", "vocabulary 0 to 9"},
              [&] { fill(0); });
  check_error(ExitCode::bad_data, {"sample 1 of the train split has -1 at position 1 of its inputs"}, [&] { fill(1); });
  check_error(ExitCode::bad_data, {"sample 2 of the train split has 11 at position 0 of its symbol before the targets"},
              [&] { fill(2); });
}

TEST_CASE("a sequence of more rows than can be numbered is refused") {
  const auto most = static_cast<std::size_t>(kMostPositions);
  const GivenPairs problem(
      {{.inputs = {}, .targets = Symbols(most, 2)}, {.inputs = Symbols(most + 1, 2), .targets = {1}}});
  HostAllocator host;
  BatchBuffer buffer(problem.shape(), 0, host);
  buffer.fill(problem, Split::train, Ids{0});
  CHECK(buffer.batch().size() == kMostPositions);
  check_error(ExitCode::bad_data, {"sample 1 of the train split has inputs of 65537 symbols; there may be 65536"},
              [&] { buffer.fill(problem, Split::train, Ids{1}); });
}

}  // namespace lockstep
