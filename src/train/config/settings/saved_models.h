#pragma once

#include <cstdint>
#include <string_view>

#include "train/config/train_setting.h"

namespace lockstep {

inline constexpr std::int64_t kMaxMinutes = std::int64_t{365} * 24 * 60;

inline constexpr std::int64_t kMaxTop = 1000;  // a round holds this many per symbol, on each rank and on the chief

inline constexpr std::string_view kWeights[] = {"ema", "plain"};
inline constexpr std::string_view kSplits[] = {"dev", "test", "train"};

inline constexpr Work kOfSaved[] = {Work::evaluate, Work::predict, Work::follow};
inline constexpr Work kOfOneCheckpoint[] = {Work::evaluate, Work::predict};
inline constexpr Work kOfFollowingOrFollowed[] = {Work::follow, Work::train};
inline constexpr Work kOfPredicting[] = {Work::predict};
inline constexpr Work kOfEvaluating[] = {Work::evaluate};

inline constexpr TrainSetting kSavedModelSettings[] = {
    {.name = "checkpoint_path",
     .placeholder = "FILE",
     .help = "Checkpoint to evaluate or predict with (default: the newest of --output_dir)",
     .field = &TrainSettings::checkpoint_path,
     .scope = SettingScope::task,
     .kept = Kept::for_one_start,
     .of_works = kOfOneCheckpoint},
    {.seldom = true,
     .name = "weights",
     .placeholder = "WHICH",
     .help = "Which weights to use: ema = their moving average, plain = the weights themselves (default: ema, if "
             "it was saved)",
     .field = &TrainSettings::weights,
     .choices = kWeights,
     .kept = Kept::for_one_start,
     .of_works = kOfSaved},
    {.name = "eval_split",
     .placeholder = "SPLIT",
     .help = "Split to evaluate or predict: dev, test or train (default: dev where there is one, else test)",
     .field = &TrainSettings::eval_split,
     .choices = kSplits,
     .kept = Kept::for_one_start,
     .of_works = kOfSaved},
    {.seldom = true,
     .name = "eval_details",
     .help = "Write the results of each class, the confusion matrix and the samples with the largest loss to "
             "OUTPUT_DIR/eval/details-SPLIT.json, and show them",
     .field = &TrainSettings::eval_details,
     .kept = Kept::for_one_start,
     .of_works = kOfEvaluating,
     .needs = "output_dir"},
    {.seldom = true,
     .name = "overwrite",
     .help = "Replace predictions.h5 and predictions.csv if they are there",
     .field = &TrainSettings::overwrite,
     .kept = Kept::for_one_start,
     .of_works = kOfPredicting},
    {.seldom = true,
     .name = "predict_top",
     .placeholder = "K",
     .help = "Write the K most probable symbols, or classes, of each prediction and their probabilities too",
     .field = &TrainSettings::predict_top,
     .least = 1,
     .most = kMaxTop,
     .kept = Kept::for_one_start,
     .of_works = kOfPredicting},
    {.seldom = true,
     .name = "eval_timeout_mins",
     .placeholder = "MINUTES",
     .help = "continuous_eval ends after this long without a new checkpoint. A job with an evaluator ends this long "
             "after its training even if the evaluator is not done. -1 = never",
     .field = &TrainSettings::eval_timeout_mins,
     .least = -1,
     .most = kMaxMinutes,
     .kept = Kept::for_one_start,
     .of_works = kOfFollowingOrFollowed,
     .t2t_default = "240"},
};

}  // namespace lockstep
