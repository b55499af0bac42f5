#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "data/hdf5_files.h"
#include "data/npy_files.h"
#include "data/problems.h"
#include "data/sequences/given_pairs.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"
#include "tensor/batch.h"

namespace lockstep {
namespace {

using Ids = std::vector<std::int32_t>;

template <class T>
void write_side(const TemporaryFolder& folder, const std::string& name, const std::vector<T>& symbols,
                const Ids& lengths) {
  write_file(folder / (name + ".npy"), npy<T>({std::ssize(symbols)}, symbols));
  write_file(folder / (name + "_lengths.npy"), npy<std::int32_t>({std::ssize(lengths)}, lengths));
}

std::unique_ptr<Problem> open(const TemporaryFolder& folder, std::int64_t vocab_size = 0,
                              const char* name = "sequences") {
  return make_sequences(name, {.data_dir = folder.path(), .vocab_size = vocab_size});
}

SequencePair read(const Problem& problem, Split split, std::int64_t sample) {
  SequencePair pair = pair_of(problem, split, sample);
  CHECK(problem.lengths(split, sample) ==
        SequenceLengths{.inputs = std::ssize(pair.inputs), .targets = std::ssize(pair.targets)});
  CHECK(pair.before == kPadSymbol);
  return pair;
}

void refused(const TemporaryFolder& folder, std::initializer_list<std::string> parts, std::int64_t vocab_size = 0) {
  check_error(ExitCode::bad_data, parts, [&] { open(folder, vocab_size); });
}

}  // namespace

TEST_CASE("sequences of .npy files are cut by their lengths") {
  const TemporaryFolder folder;
  write_side<std::int32_t>(folder, "train_targets", {2, 3, 1, 4, 1, 5, 6, 7, 1}, {3, 2, 4});
  write_side<std::int32_t>(folder, "dev_targets", {7, 1}, {1, 1});
  const auto problem = open(folder);
  CHECK(problem->shape().sample == ProblemShape::Sample::sequence);
  CHECK(problem->shape().vocabulary == 8);
  CHECK(problem->shape().vocabulary_digest.empty());
  CHECK(problem->tokenizer() == nullptr);
  CHECK_FALSE(problem->shape().characters);
  CHECK(problem->count(Split::train) == 3);
  CHECK(problem->count(Split::dev) == 2);
  CHECK(problem->count(Split::test) == 0);
  CHECK(read(*problem, Split::train, 0).targets == Ids{2, 3, 1});
  CHECK(read(*problem, Split::train, 1).targets == Ids{4, 1});
  CHECK(read(*problem, Split::train, 2).targets == Ids{5, 6, 7, 1});
  CHECK(read(*problem, Split::dev, 1).targets == Ids{1});
  CHECK(problem->remarks().empty());
  check_error(ExitCode::internal, {"no such sample"}, [&] { pair_of(*problem, Split::train, 3); });
  check_error(ExitCode::internal, {"no such sample"}, [&] { pair_of(*problem, Split::test, 0); });
  CHECK(open(folder, 300)->shape().vocabulary == 300);
}

TEST_CASE("pairs of HDF5 data sets of any whole numbers, their sides arranged by the name") {
  const TemporaryFolder folder;
  {
    Hdf5Writer train(folder / "train.h5");
    train.array("targets", {5}, std::vector<std::int64_t>{2, 1, 70000, 4, 1}, {.chunk = {2}, .gzip = true});
    train.array("targets_lengths", {2}, std::vector<std::int64_t>{2, 3});
    train.array("inputs", {3}, std::vector<std::uint16_t>{6, 7, 1});
    train.array("inputs_lengths", {2}, std::vector<std::uint8_t>{1, 2});
  }
  const auto problem = open(folder);
  CHECK(problem->shape().sample == ProblemShape::Sample::pair);
  CHECK(problem->shape().vocabulary == 70001);
  CHECK(read(*problem, Split::train, 0).inputs == Ids{6});
  CHECK(read(*problem, Split::train, 0).targets == Ids{2, 1});
  CHECK(read(*problem, Split::train, 1).inputs == Ids{7, 1});
  CHECK(read(*problem, Split::train, 1).targets == Ids{70000, 4, 1});
  CHECK(read(*open(folder, 0, "sequences_rev"), Split::train, 1).targets == Ids{7, 1});
  CHECK(read(*open(folder, 0, "sequences_copy"), Split::train, 1).targets == Ids{7, 1});
}

TEST_CASE("a symbol outside the vocabulary is named with its sample") {
  const TemporaryFolder folder;
  write_side<std::int32_t>(folder, "train_targets", {2, 3, 1, 4, 1}, {3, 2});
  write_side<std::int32_t>(folder, "dev_targets", {2, 1, 2, 9}, {2, 2});
  refused(folder, {"dev_targets.npy", "sample 1, position 1", "symbol 9", "vocabulary of 5 symbols, 0 to 4",
                   "the training split has", "vocab_size"});
  refused(folder, {"train_targets.npy", "sample 1, position 0", "symbol 4", "0 to 3", "hparam vocab_size"}, 4);
  CHECK(open(folder, 10)->count(Split::dev) == 2);
  write_side<std::int32_t>(folder, "train_targets", {2, -3, 1}, {3});
  refused(folder, {"train_targets.npy", "sample 0, position 1", "symbol -3 is negative", "from 0 on"}, 10);
  write_side<std::int64_t>(folder, "train_targets", {2, std::int64_t{1} << 40, 1}, {3});
  refused(folder, {"train_targets.npy", "1099511627776", "without gaps"});
  write_side<std::int32_t>(folder, "train_targets", {0, 0}, {2});
  refused(folder, {"train_targets.npy", "every symbol is 0", "padding"});
  write_side<std::int32_t>(folder, "train_targets", {2, 3, 1}, {3});
  write_side<std::int32_t>(folder, "dev_targets", {0, 0}, {2});
  refused(folder, {"dev_targets.npy", "every symbol is 0", "never scored"});
}

TEST_CASE("padding among the targets is said") {
  const TemporaryFolder folder;
  write_side<std::int32_t>(folder, "train_targets", {0, 3, 0, 1}, {2, 2});
  const auto remarks = open(folder)->remarks();
  REQUIRE(remarks.size() == 1);
  CHECK(remarks[0].starts_with("2 of 4 training targets are symbol 0"));
}

TEST_CASE("lengths that do not fit the symbols are refused") {
  const TemporaryFolder folder;
  const Ids symbols{2, 3, 1, 4};
  write_side(folder, "train_targets", symbols, {3, 2});
  refused(folder, {"train_targets_lengths.npy", "2 lengths add up to 5", "train_targets.npy' has 4 symbols"});
  write_side(folder, "train_targets", symbols, {3});
  refused(folder, {"add up to 3"});
  write_side(folder, "train_targets", symbols, {4, 0});
  refused(folder, {"sample 1 (counted from 0) has 0 symbols", "leave empty ones out"});
  write_side(folder, "train_targets", symbols, {5, -1});
  refused(folder, {"sample 1 (counted from 0) has -1 symbols"});
  const Ids longest(static_cast<std::size_t>(kMostPositions) + 1, 2);
  write_side(folder, "train_targets", longest, {static_cast<std::int32_t>(longest.size())});
  refused(folder, {"sample 0 (counted from 0) has 65537 symbols; a sequence has 1 to 65536"});
  write_side(folder, "train_targets", longest, {static_cast<std::int32_t>(kMostPositions), 1});
  CHECK(open(folder)->count(Split::train) == 2);
}

TEST_CASE("arrays that are no sequences, and files that are cut off, are refused by name") {
  const TemporaryFolder folder;
  write_side<float>(folder, "train_targets", {2, 3}, {2});
  refused(folder, {"train_targets.npy", "float32 of shape (2)", "whole numbers"});
  write_side<std::int32_t>(folder, "train_targets", {2, 3}, {2});
  write_file(folder / "train_targets.npy", npy<std::int32_t>({2, 1}, {2, 3}));
  refused(folder, {"train_targets.npy", "(2, 1)"});
  Bytes cut = npy<std::int32_t>({2}, {2, 3});
  cut.pop_back();
  write_file(folder / "train_targets.npy", cut);
  refused(folder, {"train_targets.npy", "is cut off"});
}

TEST_CASE("splits that do not fit each other, or sides that do not, are refused") {
  const TemporaryFolder folder;
  write_side<std::int32_t>(folder, "train_targets", {2, 3, 1, 4}, {2, 2});
  write_side<std::int32_t>(folder, "train_inputs", {2, 3, 1}, {2, 1});
  write_side<std::int32_t>(folder, "dev_targets", {2, 1}, {2});
  refused(folder, {"dev_targets_lengths.npy' is of targets alone", "train_targets_lengths.npy' of pairs"});
  write_side<std::int32_t>(folder, "dev_inputs", {2, 1}, {1, 1});
  refused(folder, {"dev_inputs_lengths.npy' has 2 sequences", "dev_targets_lengths.npy' has 1"});
  write_side<std::int32_t>(folder, "dev_inputs", {2, 1}, {2});
  CHECK(open(folder)->count(Split::dev) == 1);
}

TEST_CASE("files that are missing are named, and what belongs to them") {
  check_error(ExitCode::usage, {"sequences needs --data_dir", "train_targets_lengths.npy"},
              [] { make_sequences("sequences", {}); });
  const TemporaryFolder folder;
  const auto missing = [&](std::initializer_list<std::string> parts, const ProblemOptions& options) {
    check_error(ExitCode::missing_input, parts, [&] { make_sequences("sequences", options); });
  };
  const ProblemOptions options{.data_dir = folder.path()};
  missing({"has no train.h5", "train_targets.npy"}, options);
  write_side<std::int32_t>(folder, "train_targets", {2, 3}, {2});
  const ProblemShape model = make_sequences("sequences", options)->shape();
  missing({"has no test.h5", "there is train"}, {.data_dir = folder.path(), .only = Split::test, .known = model});
  std::filesystem::remove(folder / "train_targets_lengths.npy");
  missing({"train_targets.npy' is there, but not", "train_targets_lengths.npy"}, options);
  std::filesystem::rename(folder / "train_targets.npy", folder / "train_inputs.npy");
  missing({"train_inputs.npy' is there, but not", "train_inputs_lengths.npy"}, options);
  write_side<std::int32_t>(folder, "train_inputs", {2, 3}, {2});
  missing({"has inputs, but no train_targets.npy"}, options);
  {
    Hdf5Writer train(folder / "train.h5");
    train.array("targets", {1}, Ids{2});
  }
  missing({"train.h5', data set targets is there, but not", "data set targets_lengths"}, options);
  write_side<std::int32_t>(folder, "train_targets", {2, 3}, {2});
  check_error(ExitCode::configuration, {"train.h5", "train_targets.npy", "both there"},
              [&] { make_sequences("sequences", options); });
}

TEST_CASE("a model that is known says how many symbols there are") {
  const TemporaryFolder folder;
  write_side<std::int32_t>(folder, "train_targets", {2, 9}, {2});
  const ProblemShape model = open(folder)->shape();
  const TemporaryFolder other;
  write_side<std::int32_t>(other, "test_targets", {2, 3, 1}, {3});
  const ProblemOptions options{.data_dir = other.path(), .only = Split::test, .known = model};
  CHECK(make_sequences("sequences", options)->shape() == model);
  write_side<std::int32_t>(other, "test_targets", {2, 10, 1}, {3});
  check_error(ExitCode::bad_data, {"test_targets.npy", "symbol 10", "the model was made for"},
              [&] { make_sequences("sequences", options); });
}

}  // namespace lockstep
