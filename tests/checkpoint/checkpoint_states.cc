#include "checkpoint_states.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "base/input_file.h"
#include "checkpoint/encoder.h"
#include "checkpoint/seal.h"

namespace lockstep {

ParameterTable odd_table() {
  ParameterTable table;
  table.add("dense_0/kernel", Shape({7, 3}), true);
  table.add("dense_0/bias", Shape({3}), false);
  table.add("embedding", Shape({1'100'003, 1}), true);  // two chunks of uneven size
  table.add("nothing", Shape({0, 4}), true);
  table.add_constant("inputs/scale", Shape());
  table.add("conv/deep/er/kernel", Shape({3, 1, 2, 1, 5}), true);
  return table;
}

ParameterTable small_table() {
  ParameterTable table;
  table.add("dense_0/kernel", Shape({3, 2}), true);
  table.add("dense_0/bias", Shape({2}), false);
  return table;
}

CheckpointHeader some_header() {
  return {.step = 120,
          .seed = 0xFFFF'FFFF'FFFF'FFFE,
          .model = "mlp",
          .problem = "image_shapes",
          .shape = R"({"input":[28,28,1],"type":"float32","target":"class_label","outputs":10,"normalised":true})",
          .hparams = R"({"learning_rate": 0.1, "name": "Grüße"})",
          .config = "{}",
          .ema_updates = 9,
          .optimizer_begun = 5,
          .cursor = {.step = 120, .epoch = 3, .consumed = 77}};
}

StateArrays some_arrays(const StateLayout& layout) {
  float next = 1;
  const auto filled = [&] {
    std::vector<float> array(static_cast<std::size_t>(layout.table->padded_count()));
    for (const Variable& variable : layout.table->variables()) {
      for (auto at = variable.range.begin; at < variable.range.end; ++at) {
        array[static_cast<std::size_t>(at)] = next;
        next = -next * 1.0001F;
        if (next > 1e30F) next = 1e-30F;
      }
    }
    return array;
  };
  StateArrays arrays;
  arrays.parameters = filled();
  if (layout.average) arrays.average = filled();
  for (std::size_t i = 0; i < (layout.replicas > 0 ? 0 : layout.slots.size()); ++i) arrays.slots.push_back(filled());
  arrays.replicas.resize(static_cast<std::size_t>(layout.replicas));
  for (auto& replica : arrays.replicas) {
    for (std::size_t i = 0; i < layout.slots.size(); ++i) replica.push_back(filled());
  }
  return arrays;
}

bool equal(const CheckpointHeader& one, const CheckpointHeader& other) {
  return one.step == other.step && one.cursor == other.cursor && one.seed == other.seed && one.model == other.model &&
         one.problem == other.problem && one.shape == other.shape && one.vocabulary == other.vocabulary &&
         one.hparams == other.hparams && one.config == other.config && one.ema_updates == other.ema_updates &&
         one.optimizer_begun == other.optimizer_begun;
}

bool equal(const StateArrays& one, const StateArrays& other) {
  return one.parameters == other.parameters && one.slots == other.slots && one.average == other.average &&
         one.replicas == other.replicas;
}

void put_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
  REQUIRE(file.good());
}

void seal_file(const std::string& path) {
  const std::string bytes = read_file(path);
  const auto seal = make_seal(std::as_bytes(std::span(bytes)));
  std::ofstream file(path, std::ios::binary | std::ios::app);
  file.write(reinterpret_cast<const char*>(seal.data()), seal.size());
  REQUIRE(file.good());
}

void put_checkpoint(const std::string& path, const CheckpointHeader& header, const StateLayout& layout,
                    const StateArrays& arrays) {
  const EncodedCheckpoint image(header, layout, arrays);
  put_file(path, {reinterpret_cast<const char*>(image.bytes().data()), image.bytes().size()});
}

}  // namespace lockstep
