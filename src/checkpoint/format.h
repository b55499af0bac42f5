#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// The names and numbers of the checkpoint format, for its writers and its readers. All of them are on users' disks, so
// none may change; docs/checkpoint_format.md describes their meaning, and how a change of the format affects the
// version.
namespace lockstep {

// A file is an HDF5 file, then the seal. All integers of the seal are little-endian.
//
//   seal := magic (16 bytes) | bytes before the seal (8) | their CRC-32, as zlib computes it (8)
inline constexpr std::string_view kSealMagic("lockstep seal 1\0", 16);
inline constexpr std::size_t kSealBytes = kSealMagic.size() + 2 * sizeof(std::uint64_t);

// Attributes of the root. Texts are UTF-8, numbers 64-bit integers.
inline constexpr const char* kFormatAttribute = "format";
inline constexpr const char* kFormatVersionAttribute = "format_version";
inline constexpr const char* kLockstepVersionAttribute = "lockstep_version";
inline constexpr const char* kStepAttribute = "step";
inline constexpr const char* kEpochAttribute = "epoch";
inline constexpr const char* kConsumedAttribute = "consumed";
inline constexpr const char* kTakenAttribute = "taken";
inline constexpr const char* kRandomSeedAttribute = "random_seed";
inline constexpr const char* kModelAttribute = "model";
inline constexpr const char* kProblemAttribute = "problem";
inline constexpr const char* kShapeAttribute = "shape";
inline constexpr const char* kHparamsAttribute = "hparams";
inline constexpr const char* kConfigAttribute = "config";
inline constexpr const char* kEmaUpdatesAttribute = "ema_updates";
inline constexpr const char* kOptimizerBegunAttribute = "optimizer_begun";
inline constexpr const char* kReplicasAttribute = "replicas";

inline constexpr const char* kCheckpointFormat = "lockstep checkpoint";  // the value of `format`
// The value of `format_version`: the lowest that has all that is in the file.
inline constexpr std::int64_t kFirstVersion = 1;
inline constexpr std::int64_t kVersionWithVocabulary = 2;
inline constexpr std::int64_t kVersionWithMissed = 3;
inline constexpr std::int64_t kNewestVersion = kVersionWithMissed;

// Keys of the JSON object in `shape` (checkpoint/shape_json.h), and the values of `target` and
// `sample`; those of `type` are dtypes.
inline constexpr const char* kShapeSampleKey = "sample";
inline constexpr const char* kShapeInputKey = "input";
inline constexpr const char* kShapeTypeKey = "type";
inline constexpr const char* kShapeTargetKey = "target";
inline constexpr const char* kShapeOutputsKey = "outputs";
inline constexpr const char* kShapeVocabularyKey = "vocabulary";
inline constexpr const char* kShapeCharactersKey = "characters";
inline constexpr const char* kShapeDigestKey = "vocabulary_sha256";
inline constexpr const char* kShapeSymbolsKey = "symbols";  // version 1
inline constexpr const char* kShapeNormalisedKey = "normalised";
inline constexpr const char* kClassLabelTarget = "class_label";
inline constexpr const char* kRealTarget = "real";
inline constexpr const char* kRowSample = "row";
inline constexpr const char* kSequenceSample = "sequence";
inline constexpr const char* kPairSample = "pair";

// Keys of the objects in the JSON list of `taken` (checkpoint/batch_legs_json.h).
inline constexpr const char* kLegTokensKey = "batch_tokens";
inline constexpr const char* kLegMaxLengthKey = "max_length";
inline constexpr const char* kLegFirstBoundKey = "first_bound";
inline constexpr const char* kLegStepKey = "step";
inline constexpr const char* kLegShardsKey = "shards";
inline constexpr const char* kLegBatchesKey = "batches";

// Keys of the JSON object in `config` (train/config/result_config.h). The members of both on_... depend on the run.
inline constexpr const char* kConfigRanksKey = "ranks";
inline constexpr const char* kConfigAnyRanksKey = "on_any_ranks";
inline constexpr const char* kConfigTheseRanksKey = "on_these_ranks";
inline constexpr const char* kConfigMeasuredKey = "measured";
inline constexpr const char* kConfigMostBatchesKey = "most_batches_of_a_step";
inline constexpr const char* kConfigBatchesKey = "batches";
inline constexpr const char* kBatchesSizeKey = "global_batch";
inline constexpr const char* kBatchesStepKey = "since_step";
inline constexpr const char* kBatchesEpochKey = "since_epoch";
inline constexpr const char* kBatchesConsumedKey = "since_consumed";

// A text's vocabulary: bytes of JSON (data/sequences/tokenizer.h), not packed.
inline const std::string kVocabularyDataSet = "vocabulary";
inline constexpr std::int64_t kMostVocabularyBytes = 256 << 20;

// Missed batches (data/batch_plan.h): the samples of all of them, and the number of samples in each.
inline const std::string kMissedGroup = "missed";
inline const std::string kMissedSamplesDataSet = "missed/samples";
inline const std::string kMissedCountsDataSet = "missed/counts";
inline constexpr std::int64_t kMostMissedBatches = 1 << 20;

// Groups. Parameters, average and each slot have a data set per variable. Slashes in its name make nested groups.
inline const std::string kParametersGroup = "parameters";
inline const std::string kOptimizerGroup = "optimizer";
inline const std::string kAverageGroup = "ema";
inline const std::string kReplicasGroup = "replicas";
inline std::string slot_group(const std::string& slot) { return fmt::format("{}/{}", kOptimizerGroup, slot); }
inline std::string replica_group(std::size_t replica, const std::string& slot) {
  return fmt::format("{}/{}/{}", kReplicasGroup, replica, slot);
}

// Files of an output_dir: model.ckpt-120.h5, and checkpoint.json with its keys.
inline constexpr std::string_view kCheckpointPrefix = "model.ckpt-";
inline constexpr std::string_view kCheckpointSuffix = ".h5";
inline std::string checkpoint_name(std::int64_t step) {
  return fmt::format("{}{}{}", kCheckpointPrefix, step, kCheckpointSuffix);
}
inline constexpr std::string_view kSetAsideSuffix = ".set_aside";  // appended to a file's name
inline constexpr std::string_view kIndexFile = "checkpoint.json";
inline constexpr const char* kIndexNewestKey = "newest";
inline constexpr const char* kIndexStepKey = "step";
inline constexpr const char* kIndexKeptKey = "kept";
inline constexpr const char* kIndexFinishedKey = "finished";

// The best checkpoint of an output_dir: best/model.ckpt-120.h5, and best/best.json with its keys.
inline constexpr std::string_view kBestFolder = "best";
inline constexpr std::string_view kBestFile = "best.json";
inline constexpr const char* kBestMetricKey = "metric";
inline constexpr const char* kBestValueKey = "value";
inline constexpr const char* kBestStepKey = "step";
inline constexpr const char* kBestSplitKey = "split";

}  // namespace lockstep
