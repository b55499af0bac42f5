#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "train/config/settings/step_numbers.h"
#include "train/config/train_setting.h"

namespace lockstep {

inline constexpr std::int64_t kMaxBatchSize = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int64_t kMaxMicroShards = 4096;  // as many shares as control values add up exactly

inline constexpr std::string_view kOverlaps[] = {"auto", "inline", "thread"};
inline constexpr std::string_view kWireTypes[] = {"float32", "bfloat16", "float16"};

inline constexpr TrainSetting kHowRanksAgreeSettings[] = {
    {.name = "strategy",
     .placeholder = "NAME",
     .help = "How replicas agree; --registry_help lists the strategies",
     .field = &TrainSettings::strategy,
     .decides = Decides::result},
    {.seldom = true,
     .name = "sync_every",
     .placeholder = "STEPS",
     .help = "Steps between two averages of --strategy=model_averaging",
     .field = &TrainSettings::sync_every,
     .least = 1,
     .most = kMaxStepNumber,
     .decides = Decides::result},
    {.name = "global_batch_size",
     .placeholder = "N",
     .help = "Samples of a step over all ranks, however many there are; of sequences, tokens",
     .field = &TrainSettings::global_batch_size,
     .least = 1,
     .most = kMaxBatchSize,
     .decides = Decides::result,
     .if_unset = "batch_size per rank"},
    {.name = "exact",
     .help = "The same bits for any number of ranks up to --micro_shards; needs --global_batch_size",
     .field = &TrainSettings::exact,
     .decides = Decides::result,
     .needs = "global_batch_size",
     .needs_because = "without it the batch, and so the result, would grow with the number of ranks"},
    {.seldom = true,
     .name = "micro_shards",
     .placeholder = "N",
     .help = "Parts that --exact cuts the global batch into; another number gives other bits",
     .field = &TrainSettings::micro_shards,
     .least = 1,
     .most = kMaxMicroShards,
     .decides = Decides::result,
     .needs = "exact"},
    {.seldom = true,
     .name = "fusion_mb",
     .placeholder = "MB",
     .help = "Gradients of sync travel in buckets of this size; tune = the fastest in steps that are measured first",
     .field = &TrainSettings::fusion_mb,
     .number_limit = 65536,
     .measured = true,
     .decides = Decides::bits_on_one_world,
     .if_unset = "4"},
    {.seldom = true,
     .name = "wire_dtype",
     .placeholder = "TYPE",
     .help = "What gradients of sync travel in: float32, or half the bytes in bfloat16 or float16, which lose digits",
     .field = &TrainSettings::wire_dtype,
     .choices = kWireTypes,
     .decides = Decides::bits_on_one_world,
     .if_unset = "float32",
     .excludes = "exact",
     .excludes_because = "its tree adds up gradients in float32"},
    {.seldom = true,
     .name = "collective",
     .placeholder = "NAME",
     .help =
         "What gradients travel over: auto = as in the checkpoint, else what a table has for the ranks, their hosts "
         "and --fusion_mb; --registry_help lists the communicators",
     .field = &TrainSettings::collective},
    {.seldom = true,
     .name = "collective_table",
     .placeholder = "FILE",
     .help = "The table of --collective=auto, as bench/collective --choose prints it; else the program's own",
     .field = &TrainSettings::collective_table},
    {.seldom = true,
     .name = "overlap",
     .placeholder = "WHEN",
     .help = "When buckets of sync are summed: inline = in the backward pass as each is complete, thread = by a second "
             "thread meanwhile (faster if a core is free for it), auto = the faster one, measured where a core may "
             "be free",
     .field = &TrainSettings::overlap,
     .choices = kOverlaps,
     .measured = true},
    {.seldom = true,
     .name = "shard_optimizer",
     .help = "Each rank of sync updates a part of the parameters and keeps the optimizer's state of that part alone "
             "(ZeRO-1); parameters, gradients and the average of --ema stay whole on every rank",
     .field = &TrainSettings::shard_optimizer,
     .excludes = "histogram_every",
     .excludes_because = "the gradients it draws are nowhere whole then"},
    {.seldom = true,
     .name = "hang_timeout",
     .placeholder = "TIME",
     .help = "End the job if a rank does not arrive at a collective within this time (90s, 30m, 1h30m, HH:MM:SS)",
     .field = &TrainSettings::hang_timeout,
     .least = 1},
};

}  // namespace lockstep
