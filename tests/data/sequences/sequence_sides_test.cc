#include "data/sequences/sequence_sides.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "data/sequences/given_pairs.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

// Sample n reads n + 1 symbols and writes two.
std::unique_ptr<GivenPairs> staircase(bool has_inputs = true) {
  std::vector<SequencePair> pairs;
  for (std::size_t sample = 0; sample < 5; ++sample) {
    pairs.push_back({.inputs = std::vector<std::int32_t>(sample + 1, 7), .targets = {8, kEndSymbol}});
  }
  return std::make_unique<GivenPairs>(std::move(pairs), has_inputs, 2);
}

SequencePair read(std::string_view name, std::int64_t sample) {
  const auto problem = arrange_sides(parse_sequence_name(name), staircase());
  CHECK(problem->shape() == staircase()->shape());
  CHECK(problem->count(Split::train) == 5);
  CHECK(problem->count(Split::dev) == 2);
  SequencePair pair = pair_of(*problem, Split::train, sample);
  const SequenceLengths lengths = problem->lengths(Split::train, sample);
  CHECK(lengths == SequenceLengths{.inputs = std::ssize(pair.inputs), .targets = std::ssize(pair.targets)});
  return pair;
}

using Symbols = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("endings are taken off a name in either order") {
  const SequenceName plain = parse_sequence_name("reverse_and_copy_it");
  CHECK(plain.base == "reverse_and_copy_it");
  CHECK_FALSE(plain.reversed);
  CHECK_FALSE(plain.copied);
  for (const char* name : {"words_rev_copy", "words_copy_rev"}) {
    const SequenceName both = parse_sequence_name(name);
    CHECK(both.base == "words");
    CHECK(both.reversed);
    CHECK(both.copied);
  }
  CHECK(parse_sequence_name("words_rev").reversed);
  CHECK_FALSE(parse_sequence_name("words_rev").copied);
  CHECK(parse_sequence_name("words_copy").copied);
  CHECK_FALSE(parse_sequence_name("words_copy").reversed);
}

TEST_CASE("an ending that stands twice is refused") {
  check_error(ExitCode::usage, {"words_rev_rev", "_rev twice"}, [] { parse_sequence_name("words_rev_rev"); });
  check_error(ExitCode::usage, {"words_copy_rev_copy", "_copy twice"},
              [] { parse_sequence_name("words_copy_rev_copy"); });
}

TEST_CASE("_rev exchanges the sides, _copy makes the inputs the targets") {
  CHECK(read("words", 2).inputs == Symbols{7, 7, 7});
  CHECK(read("words", 2).targets == Symbols{8, 1});
  CHECK(read("words_rev", 2).inputs == Symbols{8, 1});
  CHECK(read("words_rev", 2).targets == Symbols{7, 7, 7});
  CHECK(read("words_copy", 2).inputs == Symbols{7, 7, 7});
  CHECK(read("words_copy", 2).targets == Symbols{7, 7, 7});
  for (const char* name : {"words_rev_copy", "words_copy_rev"}) {  // sides are exchanged first
    CHECK(read(name, 2).inputs == Symbols{8, 1});
    CHECK(read(name, 2).targets == Symbols{8, 1});
  }
}

TEST_CASE("a language model has no sides to arrange") {
  const auto arrange = [](std::string_view name) { return arrange_sides(parse_sequence_name(name), staircase(false)); };
  CHECK(arrange("words")->shape().sample == ProblemShape::Sample::sequence);
  check_error(ExitCode::usage, {"words has targets alone", "_rev"}, [&] { arrange("words_rev"); });
  check_error(ExitCode::usage, {"words has targets alone", "_copy"}, [&] { arrange("words_copy"); });
}

}  // namespace lockstep
