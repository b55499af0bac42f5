#pragma once

#include <string_view>

#include "train/config/train_setting.h"

namespace lockstep {

inline constexpr std::string_view kProductTypes[] = {"float32", "tf32", "bfloat16"};

inline constexpr TrainSetting kWhereItRunsSettings[] = {
    {.name = "device",
     .placeholder = "DEVICE",
     .help =
         "auto, cpu, cuda (each rank of a host takes a GPU of its own) or cuda:N, N counting the visible GPUs from 0",
     .field = &TrainSettings::device,
     .scope = SettingScope::task},
    {.name = "devices",
     .placeholder = "LIST",
     .help =
         "Which of a host's visible GPUs its ranks take, in this order: --devices=0,2; a number that is there twice "
         "is for two ranks",
     .field = &TrainSettings::devices,
     .scope = SettingScope::task,
     .instead_of = "gpu_order",
     .both_say = "which GPUs to take"},
    {.name = "precision",
     .placeholder = "TYPE",
     .help = "Number type of the products of linear layers and attention: float32, or bfloat16, faster where there is "
             "such; sums and all else stay float32. tf32: float32 with 10 bits of fraction, convolutions as well, on "
             "GPUs",
     .field = &TrainSettings::precision,
     .choices = kProductTypes,
     .decides = Decides::result},
    {.name = "cuda_graph",
     .help = "Give the GPU each step as CUDA graphs: shorter gaps between its operations, the same bits",
     .field = &TrainSettings::cuda_graph,
     .excludes = "exact",
     .excludes_because = "its tree waits for the GPU in each step"},
    {.name = "recompute",
     .help = "Keep of each layer of a Transformer only what goes into it, and compute the rest again in the backward "
             "pass: less memory, more time, the same bits",
     .field = &TrainSettings::recompute},
};

}  // namespace lockstep
