// For checkpoint_python_test.sh: writes the example checkpoint of docs/checkpoint_format.md, and prints a checkpoint.
//
//   checkpoint_file write FILE     writes it: step 120 of a model with a kernel (3, 2) and a bias (2), with Adam's m
//   checkpoint_file read FILE      prints step and values, with our own reader
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "base/durable_file.h"
#include "checkpoint/decoder.h"
#include "checkpoint/encoder.h"

namespace {

using namespace lockstep;  // NOLINT(google-build-using-namespace): a program of one file

void write_file(const char* path, const StateLayout& layout) {
  const CheckpointHeader header{.step = 120,
                                .seed = 1,
                                .model = "linear",
                                .problem = "arrays",
                                .hparams = R"({"learning_rate": 0.25})",
                                .config = "{}",
                                .ema_updates = 0,
                                .cursor = {.step = 120, .epoch = 1, .consumed = 20}};
  std::vector<float> numbers(static_cast<std::size_t>(layout.table->padded_count()));
  for (const Variable& variable : layout.table->variables()) {
    for (auto at = variable.range.begin; at < variable.range.end; ++at) {
      numbers[static_cast<std::size_t>(at)] = static_cast<float>(at) + 1;
    }
  }
  replace_file(path, EncodedCheckpoint(header, layout, {.parameters = numbers, .slots = {numbers}}).bytes());
}

void print_file(const char* path, const StateLayout& layout) {
  const CheckpointDecoder reader(path);
  StateLayout there = layout;
  there.slots = reader.slots();
  const StateArrays arrays = reader.read(there);
  fmt::print("step {} model {} hparams {}\n", reader.header().step, reader.header().model, reader.header().hparams);
  const auto print = [&](const char* what, const std::vector<float>& array) {
    for (const Variable& variable : layout.table->variables()) {
      const auto first = array.begin() + variable.range.begin;
      fmt::print("{} {} {}\n", what, variable.name, fmt::join(first, first + variable.range.count(), " "));
    }
  };
  print("parameters", arrays.parameters);
  if (!arrays.slots.empty()) print("m", arrays.slots[0]);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 64;
  try {
    ParameterTable table;
    table.add("linear_0/kernel", Shape({3, 2}), true);
    table.add("linear_0/bias", Shape({2}), false);
    const StateLayout layout{.table = &table, .slots = {"m"}};
    (std::string_view(words[1]) == "write" ? write_file : print_file)(words[2], layout);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
