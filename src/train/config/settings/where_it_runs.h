#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "train/config/train_setting.h"

namespace lockstep {

// The hint for a user who asks for the mixed precision of GPUs without bfloat16.
inline constexpr std::string_view kNoFloat16 =
    "there is no float16 here; mixed precision is --precision=bfloat16, which needs no scaling of the loss";

inline constexpr std::string_view kProductTypes[] = {"float32", "tf32", "bfloat16"};

// A hint for the names that other programs have for types of --precision.
constexpr std::string_view precision_hint(std::string_view name) {
  constexpr std::string_view kBfloat16[] = {"bf16", "bf16-mixed", "bf16-true"};
  constexpr std::string_view kFloat16[] = {"16", "16-mixed", "fp16", "float16", "half", "mixed"};
  if (std::ranges::find(kBfloat16, name) != std::end(kBfloat16)) return "it is bfloat16 here";
  if (std::ranges::find(kFloat16, name) != std::end(kFloat16)) return kNoFloat16;
  return name == "32" || name == "fp32" ? "it is float32 here" : "";
}

inline constexpr TrainSetting kWhereItRunsSettings[] = {
    {.name = "device",
     .placeholder = "DEVICE",
     .help =
         "auto, cpu, cuda (the ranks of a host take its GPUs in turn) or cuda:N, N counting the visible GPUs from 0",
     .field = &TrainSettings::device,
     .scope = SettingScope::task},
    {.seldom = true,
     .name = "devices",
     .placeholder = "LIST",
     .help = "Visible GPUs that the ranks of a host take, in this order: --devices=0,2; a number that is given "
             "twice serves two ranks",
     .field = &TrainSettings::devices,
     .scope = SettingScope::task,
     .instead_of = "gpu_order",
     .both_say = "which GPUs to take"},
    {.name = "precision",
     .placeholder = "TYPE",
     .help = "Data type of the factors of matrix products. float32; bfloat16: in linear layers and attention, faster "
             "on processors and GPUs that have it; tf32 (float32 with 10 bits of fraction, GPUs only): in linear "
             "layers and convolutions. Parameters, gradients, optimizer state and all sums stay float32",
     .field = &TrainSettings::precision,
     .choices = kProductTypes,
     .hint = precision_hint,
     .decides = Decides::result},
    {.seldom = true,
     .name = "cuda_graph",
     .help = "Submit each step to the GPU as CUDA graphs: shorter gaps between its operations, the same bits",
     .field = &TrainSettings::cuda_graph,
     .excludes = "exact",
     .excludes_because = "--exact waits for the GPU in each step"},
    {.seldom = true,
     .name = "recompute",
     .help = "Activation checkpointing: keep only the input of each Transformer layer, and compute the rest again in "
             "the backward pass: less memory, more time, the same bits",
     .field = &TrainSettings::recompute},
};

}  // namespace lockstep
