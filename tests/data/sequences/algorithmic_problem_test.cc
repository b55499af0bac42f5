#include <doctest/doctest.h>

#include <string>

#include "data/problems.h"
#include "data/sequences/algorithmic_problems.h"
#include "data/sequences/given_pairs.h"
#include "data/sequences/sequence_sides.h"

namespace lockstep {
namespace {

SequencePair read(const std::string& name, std::uint64_t seed = 1) {
  return pair_of(*make_algorithmic(name, {.seed = seed}), Split::train, 5);
}

}  // namespace

TEST_CASE("each generated problem is one of pairs, under each form of its name") {
  for (const AlgorithmicProblem& problem : kAlgorithmicProblems) {
    const std::string name(problem.name);
    CAPTURE(name);
    const auto plain = make_algorithmic(name, {});
    CHECK(plain->shape().sample == ProblemShape::Sample::pair);
    CHECK(plain->shape().vocabulary == problem.symbols_used() + kFirstSymbol);
    CHECK(plain->shape().outputs == plain->shape().vocabulary);
    CHECK_FALSE(plain->shape().characters);
    CHECK(plain->count(Split::train) == problem.train_count);
    CHECK(plain->count(Split::dev) == problem.dev_count);
    CHECK(plain->count(Split::test) == problem.dev_count);
    for (const std::string_view ending : kSideEndings) {
      CHECK(make_algorithmic(name + std::string(ending), {})->shape() == plain->shape());
    }
  }
}

TEST_CASE("endings of the name arrange the sides, and the seed makes the samples") {
  const SequencePair plain = read("algorithmic_shift_decimal40");
  CHECK(plain.before == kPadSymbol);
  CHECK(plain.inputs != plain.targets);
  CHECK(read("algorithmic_shift_decimal40_rev").inputs == plain.targets);
  CHECK(read("algorithmic_shift_decimal40_rev").targets == plain.inputs);
  CHECK(read("algorithmic_shift_decimal40_copy").targets == plain.inputs);
  CHECK(read("algorithmic_shift_decimal40", 2).inputs != plain.inputs);
}

TEST_CASE("a generated problem's line of help says what it is") {
  CHECK(describe(*find_algorithmic_problem("algorithmic_reverse_binary40")) ==
        "generated: reverse a sequence (2 symbols; inputs up to 40 long, in dev 400)");
  CHECK(describe(*find_algorithmic_problem("algorithmic_addition_decimal40")) ==
        "generated: add two numbers (base 10; inputs up to 40 long, in dev 400)");
}

}  // namespace lockstep
