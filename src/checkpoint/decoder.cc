#include "checkpoint/decoder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/json.h"
#include "base/printable.h"
#include "checkpoint/batch_legs_json.h"
#include "checkpoint/format.h"
#include "checkpoint/hdf5_reader.h"
#include "checkpoint/missed_batches.h"
#include "checkpoint/seal.h"
#include "checkpoint/shape_json.h"
#include "data/sequences/tokenizer.h"

namespace lockstep {
namespace {

std::string needed_text(const CheckpointHdf5Reader& file, const char* name) {
  if (auto text = file.text(name)) return *text;
  file.refuse(fmt::format("it is no checkpoint of Lockstep: it has no attribute {}", name));
}

template <class Value>
Value needed(const CheckpointHdf5Reader& file, const char* name, std::optional<Value> value) {
  if (value) return *value;
  file.refuse(fmt::format("it is no checkpoint of Lockstep: it has no attribute {}", name));
}

// A text attribute that must be one JSON object.
std::string needed_object(const CheckpointHdf5Reader& file, const char* name) {
  std::string text = needed_text(file, name);
  std::string why = "it is another kind of value";
  try {
    if (parse_json(text).as<Json::Object>() != nullptr) return text;
  } catch (const JsonError& error) {
    why = error.what();
  }
  file.refuse(fmt::format("its attribute {} is no JSON object: {}", name, why));
}

// Reads the shape attribute, which older files do not have, and the vocabulary, which version 1 has in it.
void read_shape(const CheckpointHdf5Reader& file, CheckpointHeader& header) {
  std::string digest;
  try {
    if (const std::optional<std::string> text = file.text(kShapeAttribute)) {
      const ProblemShape shape = shape_from_json(*text);
      digest = shape.vocabulary_digest;
      if (!digest.empty()) header.vocabulary = vocabulary_in_shape(parse_json(*text));
      header.shape = header.vocabulary.empty() ? *text : shape_to_json(shape);
    }
  } catch (const JsonError& error) {
    file.refuse(fmt::format("its attribute {} cannot be read: {}", kShapeAttribute, error.what()));
  }
  const std::optional<std::string> bytes = file.bytes(kVocabularyDataSet, kMostVocabularyBytes);
  if (bytes && digest.empty()) {
    file.refuse(fmt::format("it has a {}, but no {} in its attribute {}; add the one, or take out the other",
                            kVocabularyDataSet, kShapeDigestKey, kShapeAttribute));
  }
  try {
    if (bytes) {
      const Json vocabulary = parse_json(*bytes);
      if (vocabulary.as<Json::Object>() == nullptr) {
        file.refuse(fmt::format("{} is no JSON object", kVocabularyDataSet));
      }
      header.vocabulary = vocabulary.text();
    }
  } catch (const JsonError& error) {
    file.refuse(fmt::format("{} cannot be read: {}", kVocabularyDataSet, error.what()));
  }
  if (header.vocabulary.empty() || vocabulary_digest(header.vocabulary) == digest) return;
  file.refuse(
      fmt::format("{} is not the one of which its attribute {} has the digest", kVocabularyDataSet, kShapeAttribute));
}

// Empty for problems whose samples are rows, and at the beginning of an epoch.
std::vector<BatchLeg> legs_of(const CheckpointHdf5Reader& file) {
  const std::optional<std::string> text = file.text(kTakenAttribute);
  if (!text) return {};
  try {
    return legs_from_json(*text);
  } catch (const JsonError& error) {
    file.refuse(fmt::format("its attribute {} cannot be read: {}", kTakenAttribute, error.what()));
  }
}

void check_version(const std::string& path, const CheckpointHdf5Reader& file) {
  if (const std::string format = needed_text(file, kFormatAttribute); format != kCheckpointFormat) {
    file.refuse(fmt::format("it is no checkpoint of Lockstep: its attribute format is '{}'", escaped(format)));
  }
  const auto version = needed(file, kFormatVersionAttribute, file.whole_number(kFormatVersionAttribute));
  if (version == 0) file.refuse("its attribute format_version is 0; the first one is 1");
  if (version <= kNewestVersion) return;
  throw Error(
      ExitCode::configuration,
      fmt::format("'{}' was written by Lockstep {} in version {} of the format; this is Lockstep {}, which reads "
                  "up to version {}. Take that Lockstep or a newer one",
                  path, escaped(file.text(kLockstepVersionAttribute).value_or("of a later version")), version,
                  LOCKSTEP_VERSION, kNewestVersion));
}

// Steps and epochs are counted in 32 bits for random numbers (base/random.h).
void check_counts(const CheckpointHdf5Reader& file, const CheckpointHeader& header) {
  constexpr std::int64_t kMaxCount = std::numeric_limits<std::uint32_t>::max();
  if (header.step > kMaxCount || header.cursor.epoch >= kMaxCount) {
    file.refuse(fmt::format("its attributes say step {} and epoch {}, more than there can be", header.step,
                            header.cursor.epoch));
  }
  if (const auto missed = std::ssize(header.cursor.missed); missed > kMaxCount - header.step) {
    file.refuse(fmt::format("{} says {} batches after step {}, more than there can be", kMissedCountsDataSet, missed,
                            header.step));
  }
  const auto at_most_step = [&](const char* name, std::int64_t value) {
    if (value <= header.step) return;
    file.refuse(fmt::format("its attribute {} is {}, after its step {}", name, value, header.step));
  };
  at_most_step(kOptimizerBegunAttribute, header.optimizer_begun);
  at_most_step(kEmaUpdatesAttribute, header.ema_updates);
}

CheckpointHeader read_header(const CheckpointHdf5Reader& file) {
  CheckpointHeader header;
  header.step = needed(file, kStepAttribute, file.whole_number(kStepAttribute));
  header.cursor = {.step = header.step,
                   .epoch = file.whole_number(kEpochAttribute).value_or(0),
                   .consumed = file.whole_number(kConsumedAttribute).value_or(0),
                   .legs = legs_of(file),
                   .missed = read_missed(file)};
  header.seed = needed(file, kRandomSeedAttribute, file.unsigned_number(kRandomSeedAttribute));
  header.model = needed_text(file, kModelAttribute);
  header.problem = needed_text(file, kProblemAttribute);
  read_shape(file, header);
  header.hparams = needed_object(file, kHparamsAttribute);
  header.config = needed_object(file, kConfigAttribute);
  header.ema_updates = file.whole_number(kEmaUpdatesAttribute).value_or(0);
  header.optimizer_begun = file.whole_number(kOptimizerBegunAttribute).value_or(0);
  check_counts(file, header);
  return header;
}

int read_replicas(const CheckpointHdf5Reader& file) {
  const std::int64_t replicas = file.whole_number(kReplicasAttribute).value_or(0);
  const std::vector<std::string> found = file.members(kReplicasGroup);
  if (replicas != std::ssize(found) || replicas > std::numeric_limits<int>::max()) {
    file.refuse(fmt::format("its attribute replicas is {}, and it holds the states of {}", replicas, found.size()));
  }
  for (std::int64_t replica = 0; replica < replicas; ++replica) {
    if (std::ranges::find(found, std::to_string(replica)) != found.end()) continue;
    file.refuse(fmt::format("{} lacks {}; replicas are numbered from 0", kReplicasGroup, replica));
  }
  return static_cast<int>(replicas);
}

StoredVariables stored_in(const CheckpointHdf5Reader& file, const std::string& group) {
  StoredVariables found;
  for (const std::string& name : file.data_sets(group)) {
    if (auto extents = file.extents(fmt::format("{}/{}", group, name))) found[name] = std::move(*extents);
  }
  return found;
}

// The first differences, on one line.
std::string first_few(const std::vector<std::string>& differences) { return first_of(differences, 5, "; "); }

}  // namespace

CheckpointDecoder::CheckpointDecoder(const std::string& path)
    : path_(path), checksum_(check_seal(path)), file_(std::make_unique<CheckpointHdf5Reader>(path)) {
  check_version(path, *file_);
  file_->inspect();
  header_ = read_header(*file_);
  replicas_ = read_replicas(*file_);
  slots_ = file_->members(kOptimizerGroup);
}

CheckpointDecoder::~CheckpointDecoder() = default;

bool CheckpointDecoder::has_average() const { return !file_->members(kAverageGroup).empty(); }

std::string CheckpointDecoder::written_by() const { return file_->text(kLockstepVersionAttribute).value_or(""); }

StoredVariables CheckpointDecoder::variables() const { return stored_in(*file_, kParametersGroup); }

bool CheckpointDecoder::has_variables_of(const ParameterTable& table) const {
  return match_variables(variables(), table).differences.empty();
}

void CheckpointDecoder::check_model(const StateLayout& layout) const {
  const auto other = match_variables(variables(), *layout.table).differences;
  if (other.empty()) return;
  throw Error(
      ExitCode::configuration,
      fmt::format("'{}' is a checkpoint of another model: it was saved by model '{}', and this run's model{} has "
                  "other variables: {}. Take the flags of that run, or give another --output_dir",
                  path_, escaped(header_.model), layout.model.empty() ? "" : " '" + layout.model + "'",
                  first_few(other)));
}

void CheckpointDecoder::check_state(const StateLayout& layout) const {
  for (const std::string& slot : layout.slots) {
    if (std::ranges::find(slots_, slot) != slots_.end()) continue;
    throw Error(
        ExitCode::configuration,
        fmt::format("'{}' was saved with another optimizer: it holds {}, and this run's optimizer needs {}. Take "
                    "the optimizer of that run, or give another --output_dir",
                    path_, slots_.empty() ? "no optimizer state" : escaped(fmt::format("{}", fmt::join(slots_, ", "))),
                    fmt::join(layout.slots, ", ")));
  }
  for (const std::string& slot : slots_) {
    if (layout.slots.empty() || std::ranges::find(layout.slots, slot) != layout.slots.end()) continue;
    file_->refuse(fmt::format("{} is nothing that this optimizer has; it has {}", escaped(slot_group(slot)),
                              fmt::join(layout.slots, ", ")));
  }
  if (layout.average && !has_average()) {
    throw Error(
        ExitCode::configuration,
        fmt::format("'{}' holds no moving average: it was saved without --ema. Leave --ema out, or give another "
                    "--output_dir",
                    path_));
  }
}

void CheckpointDecoder::check_group(const std::string& group, const ParameterTable& table) const {
  const auto other = match_variables(stored_in(*file_, group), table).differences;
  if (other.empty()) return;
  file_->refuse(fmt::format("{} does not hold the variables that {} holds: {}", escaped(group), kParametersGroup,
                            first_few(other)));
}

void CheckpointDecoder::check_groups(const ParameterTable& table) const {
  for (const std::string& slot : slots_) check_group(slot_group(slot), table);
  if (has_average()) check_group(kAverageGroup, table);
  for (std::size_t replica = 0; replica < static_cast<std::size_t>(replicas_); ++replica) {
    const std::string group = fmt::format("{}/{}", kReplicasGroup, replica);
    const std::vector<std::string> found = file_->members(group);
    if (!std::ranges::is_permutation(found, slots_)) {
      const auto names = [](const std::vector<std::string>& slots) {
        return slots.empty() ? "none" : escaped(fmt::format("{}", fmt::join(slots, ", ")));
      };
      file_->refuse(
          fmt::format("{} has the slots {}, and {} has {}", group, names(found), kOptimizerGroup, names(slots_)));
    }
    for (const std::string& slot : found) check_group(replica_group(replica, slot), table);
  }
}

std::vector<float> CheckpointDecoder::read_group(const std::string& group, const ParameterTable& table) const {
  std::vector<float> values(static_cast<std::size_t>(table.padded_count()));
  for (const Variable& variable : table.variables()) {
    file_->read(fmt::format("{}/{}", group, variable.name),
                std::span(values).subspan(static_cast<std::size_t>(variable.range.begin),
                                          static_cast<std::size_t>(variable.range.count())));
  }
  return values;
}

std::vector<float> CheckpointDecoder::read_weights(const std::string& group, const ParameterTable& table) const {
  std::vector<float> values = read_group(group, table);
  for (const Variable& variable : table.variables()) {
    if (!variable.positive) continue;
    const auto own = std::span(values).subspan(static_cast<std::size_t>(variable.range.begin),
                                               static_cast<std::size_t>(variable.range.count()));
    const auto wrong = std::ranges::find_if(own, [](float value) { return value <= 0; });
    if (wrong == own.end()) continue;
    file_->refuse(fmt::format("{}/{} holds {}, and the model divides by it: all its values are above 0", group,
                              variable.name, *wrong));
  }
  return values;
}

std::vector<float> CheckpointDecoder::read_slot(const std::string& group, const std::string& slot,
                                                const StateLayout& layout) const {
  std::vector<float> values = read_group(group, *layout.table);
  if (std::ranges::find(layout.non_negative, slot) == layout.non_negative.end()) return values;
  const auto wrong = std::ranges::find_if(values, [](float value) { return value < 0; });
  if (wrong == values.end()) return values;
  file_->refuse(fmt::format("{}/{} holds {}, and it is made of squares, which are never negative", group,
                            layout.table->owner_of(wrong - values.begin()).name, *wrong));
}

std::vector<float> CheckpointDecoder::read_parameters(const ParameterTable& table) const {
  return read_weights(kParametersGroup, table);
}

StateArrays CheckpointDecoder::read(const StateLayout& layout) const {
  LS_CHECK(layout.replicas == 0 || layout.replicas == replicas_, "the file holds the states of other replicas");
  check_model(layout);
  check_state(layout);
  check_groups(*layout.table);
  StateArrays arrays;
  arrays.parameters = read_weights(kParametersGroup, *layout.table);
  if (layout.average) arrays.average = read_weights(kAverageGroup, *layout.table);
  if (layout.replicas == 0) {
    for (const std::string& slot : layout.slots) arrays.slots.push_back(read_slot(slot_group(slot), slot, layout));
  }
  arrays.replicas.resize(static_cast<std::size_t>(layout.replicas));
  for (std::size_t replica = 0; replica < arrays.replicas.size(); ++replica) {
    for (const std::string& slot : layout.slots) {
      arrays.replicas[replica].push_back(read_slot(replica_group(replica, slot), slot, layout));
    }
  }
  return arrays;
}

void check_step(const CheckpointDecoder& reader, std::int64_t named) {
  const std::int64_t step = reader.header().step;
  if (step == named) return;
  throw Error(ExitCode::bad_data, fmt::format("'{}': its attribute {} is {}, and its name says {}", reader.path(),
                                              kStepAttribute, step, named));
}

}  // namespace lockstep
