#include "checkpoint/encoder.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"
#include "checkpoint/batch_legs_json.h"
#include "checkpoint/format.h"
#include "checkpoint/hdf5_writer.h"
#include "checkpoint/missed_batches.h"
#include "checkpoint/seal.h"

namespace lockstep {
namespace {

void check_size(const std::vector<float>& array, const StateLayout& layout) {
  LS_CHECK(std::ssize(array) == layout.table->padded_count(), "an array of a state is no flat store of its model");
}

// Checks the arrays against the layout: a mistake here would only be found when the checkpoint is needed.
void check_arrays(const StateLayout& layout, const StateArrays& arrays) {
  check_size(arrays.parameters, layout);
  if (layout.average) check_size(arrays.average, layout);
  LS_CHECK(arrays.replicas.size() == static_cast<std::size_t>(layout.replicas), "not the state of all replicas");
  LS_CHECK(arrays.slots.size() == (layout.replicas > 0 ? 0 : layout.slots.size()), "not all slots of the optimizer");
  for (const auto& slot : arrays.slots) check_size(slot, layout);
  for (const auto& replica : arrays.replicas) {
    LS_CHECK(replica.size() == layout.slots.size(), "not all slots of a replica's optimizer");
    for (const auto& slot : replica) check_size(slot, layout);
  }
}

// A generous guess at the file's size: unused memory costs nothing, and growing memory is moved.
std::size_t expected_bytes(const CheckpointHeader& header, const StateLayout& layout) {
  constexpr std::size_t kFixed = 4 << 20;
  constexpr std::size_t kPerDataSet = 4096;
  std::size_t of_one_array = 0;
  for (const Variable& variable : layout.table->variables()) {
    of_one_array += static_cast<std::size_t>(variable.range.count()) * sizeof(float);
  }
  of_one_array += of_one_array / 64 + layout.table->variables().size() * kPerDataSet;
  const std::size_t arrays =
      1 + layout.slots.size() * (1 + static_cast<std::size_t>(layout.replicas)) + (layout.average ? 1 : 0);
  std::size_t missed = 0;  // numbers in the lists of missed batches
  for (const auto& batch : header.cursor.missed) missed += 1 + batch.size();
  return arrays * of_one_array + 2 * (header.vocabulary.size() + header.hparams.size() + header.config.size()) +
         2 * missed * sizeof(std::int64_t) + kFixed;
}

std::int64_t version_of(const CheckpointHeader& header) {
  if (!header.cursor.missed.empty()) return kVersionWithMissed;
  return header.vocabulary.empty() ? kFirstVersion : kVersionWithVocabulary;
}

void put_header(CheckpointHdf5Writer& file, const CheckpointHeader& header, int replicas) {
  file.attribute(kFormatAttribute, std::string(kCheckpointFormat));
  file.attribute(kFormatVersionAttribute, version_of(header));
  file.attribute(kLockstepVersionAttribute, std::string(LOCKSTEP_VERSION));
  file.attribute(kStepAttribute, header.step);
  file.attribute(kEpochAttribute, header.cursor.epoch);
  file.attribute(kConsumedAttribute, header.cursor.consumed);
  if (!header.cursor.legs.empty()) file.attribute(kTakenAttribute, legs_to_json(header.cursor.legs));
  file.attribute(kRandomSeedAttribute, header.seed);
  file.attribute(kModelAttribute, header.model);
  file.attribute(kProblemAttribute, header.problem);
  if (!header.shape.empty()) file.attribute(kShapeAttribute, header.shape);
  file.attribute(kHparamsAttribute, header.hparams);
  file.attribute(kConfigAttribute, header.config);
  file.attribute(kEmaUpdatesAttribute, header.ema_updates);
  file.attribute(kOptimizerBegunAttribute, header.optimizer_begun);
  file.attribute(kReplicasAttribute, std::int64_t{replicas});
}

// Replicas that differ are saved one by one, and their mean as well: any number of ranks can resume from the mean.
void put_replicas(CheckpointHdf5Writer& file, const StateLayout& layout, const StateArrays& arrays) {
  std::vector<float> mean;
  for (std::size_t slot = 0; slot < layout.slots.size(); ++slot) {
    file.variables(slot_group(layout.slots[slot]), *layout.table, [&](const Variable& variable) {
      mean.clear();
      for (std::int64_t at = variable.range.begin; at < variable.range.end; ++at) {
        double sum = 0;
        for (const auto& replica : arrays.replicas) sum += replica[slot][static_cast<std::size_t>(at)];
        mean.push_back(static_cast<float>(sum / layout.replicas));
      }
      return mean.data();
    });
  }
  for (std::size_t replica = 0; replica < arrays.replicas.size(); ++replica) {
    for (std::size_t slot = 0; slot < layout.slots.size(); ++slot) {
      file.variables(replica_group(replica, layout.slots[slot]), *layout.table, [&](const Variable& variable) {
        return arrays.replicas[replica][slot].data() + variable.range.begin;
      });
    }
  }
}

// Returns the bytes of the file.
std::size_t put_all(Hdf5Memory& memory, const CheckpointHeader& header, const StateLayout& layout,
                    const StateArrays& arrays) {
  CheckpointHdf5Writer file(memory);
  put_header(file, header, layout.replicas);
  if (!header.vocabulary.empty()) file.bytes(kVocabularyDataSet, header.vocabulary);
  if (!header.cursor.missed.empty()) put_missed(file, header.cursor.missed);
  const auto put = [&](const std::string& group, const std::vector<float>& array) {
    file.variables(group, *layout.table, [&](const Variable& variable) { return array.data() + variable.range.begin; });
  };
  put(kParametersGroup, arrays.parameters);
  for (std::size_t slot = 0; slot < arrays.slots.size(); ++slot)
    put(slot_group(layout.slots[slot]), arrays.slots[slot]);
  if (layout.average) put(kAverageGroup, arrays.average);
  if (layout.replicas > 0) put_replicas(file, layout, arrays);
  return file.finish();
}

}  // namespace

EncodedCheckpoint::EncodedCheckpoint(const CheckpointHeader& header, const StateLayout& layout,
                                     const StateArrays& arrays) {
  check_arrays(layout, arrays);
  Hdf5Memory memory(expected_bytes(header, layout));
  const std::size_t bytes = put_all(memory, header, layout, arrays);
  LS_CHECK(memory.closed(), "HDF5 did not finish the checkpoint");
  const auto seal = make_seal(memory.first(bytes));
  size_ = bytes + seal.size();
  bytes_ = memory.take(bytes, seal);
}

}  // namespace lockstep
