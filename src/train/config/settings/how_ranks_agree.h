#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "train/config/settings/step_numbers.h"
#include "train/config/train_setting.h"

namespace lockstep {

inline constexpr std::int64_t kMaxBatchSize = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int64_t kMaxMicroShards = 4096;  // control values add up exactly for this many shares
inline constexpr std::int64_t kMaxSumUpdates = 65536;

inline constexpr std::string_view kOverlaps[] = {"auto", "inline", "thread"};
inline constexpr std::string_view kTransports[] = {"auto", "rma", "p2p"};
inline constexpr std::string_view kPsApplies[] = {"optimizer", "accumulate"};
inline constexpr std::string_view kOnWorkerLoss[] = {"stop", "continue"};
inline constexpr std::string_view kWireTypes[] = {"float32", "bfloat16", "float16"};

inline constexpr TrainSetting kHowRanksAgreeSettings[] = {
    {.name = "strategy",
     .placeholder = "NAME",
     .help = "Distribution strategy: how replicas combine their updates; --registry_help lists the strategies. With "
             "--ps_replicas it is parameter_server",
     .field = &TrainSettings::strategy,
     .decides = Decides::result},
    {.seldom = true,
     .name = "sync_every",
     .placeholder = "STEPS",
     .help = "With --strategy=model_averaging: average the parameters every this many steps",
     .field = &TrainSettings::sync_every,
     .least = 1,
     .most = kMaxStepNumber,
     .decides = Decides::result},
    {.seldom = true,
     .name = "max_staleness",
     .placeholder = "N",
     .help =
         "With --strategy=parameter_server: no gradient is applied that is older than this many updates; ranks wait "
         "for slower ones then. 0 = the result of a single rank: ranks take turns, unless --sum_updates is at least "
         "the number of ranks that train",
     .field = &TrainSettings::max_staleness,
     .most = kMaxStepNumber,
     .decides = Decides::result,
     .if_unset = "no bound"},
    {.seldom = true,
     .name = "sum_updates",
     .placeholder = "K",
     .help =
         "With --strategy=parameter_server: K gradients are added up, by their samples, and applied as one update. A "
         "step is an update, so it takes K batches of --global_batch_size",
     .field = &TrainSettings::sum_updates,
     .least = 1,
     .most = kMaxSumUpdates,
     .decides = Decides::result},
    {.seldom = true,
     .name = "ps_apply",
     .placeholder = "HOW",
     .help = "With --strategy=parameter_server: optimizer = the servers apply gradients one after the other, by any "
             "optimizer; accumulate = ranks add their updates to the servers' memory by themselves, at any time: for "
             "optimizer sgd without weight decay alone. No update is lost, but a rank may read values that are only "
             "partly updated, there is no bound on staleness, and a save makes all ranks pause",
     .field = &TrainSettings::ps_apply,
     .choices = kPsApplies,
     .decides = Decides::result},
    {.seldom = true,
     .name = "on_worker_loss",
     .placeholder = "HOW",
     .help =
         "With --strategy=parameter_server: what becomes of the job if a rank that trains dies: stop = it ends; "
         "continue = the others go on without it, and compute its unfinished batches again. All ranks have to be on "
         "one host, and the launcher has to allow it: mpirun --enable-recovery, which then returns 0 however the job "
         "ends. The chief and the servers have to live",
     .field = &TrainSettings::on_worker_loss,
     .choices = kOnWorkerLoss},
    {.seldom = true,
     .name = "ps_log",
     .help = "With --strategy=parameter_server: write the order of the updates into --output_dir: ps_log.0.jsonl, or "
             "ps_log.STEP.jsonl in a run that resumes from that step. The first server writes it, on its own host",
     .field = &TrainSettings::ps_log,
     .needs = "output_dir"},
    {.seldom = true,
     .name = "ps_replay",
     .placeholder = "FILE",
     .help =
         "With --strategy=parameter_server: repeat the updates of a run in the order that its --ps_log has written, "
         "with the same parameters at the end. The chief and the first server read the file",
     .field = &TrainSettings::ps_replay,
     .scope = SettingScope::task,
     .kept = Kept::for_one_start},
    {.seldom = true,
     .name = "ps_transport",
     .placeholder = "HOW",
     .help =
         "With --strategy=parameter_server: how values and gradients travel: rma = through a window, memory of the "
         "servers that the other ranks read and write by themselves (MPI's one-sided communication); p2p = as "
         "messages; auto = rma where all ranks are on one host and it works there, else p2p. The result is the same",
     .field = &TrainSettings::ps_transport,
     .choices = kTransports},
    {.name = "global_batch_size",
     .placeholder = "N",
     .help = "Samples per step over all ranks, or tokens if the data are sequences; with parameter servers, of one "
             "gradient",
     .field = &TrainSettings::global_batch_size,
     .least = 1,
     .most = kMaxBatchSize,
     .decides = Decides::result,
     .if_unset = "batch_size per rank"},
    {.name = "exact",
     .help =
         "Give the same result, bit for bit, on any number of ranks up to --micro_shards; needs --global_batch_size",
     .field = &TrainSettings::exact,
     .decides = Decides::result,
     .needs = "global_batch_size",
     .needs_because = "without it the batch, and so the result, would grow with the number of ranks"},
    {.seldom = true,
     .name = "micro_shards",
     .placeholder = "N",
     .help = "Number of parts that --exact cuts the global batch into; another number rounds differently",
     .field = &TrainSettings::micro_shards,
     .least = 1,
     .most = kMaxMicroShards,
     .decides = Decides::result,
     .needs = "exact"},
    {.seldom = true,
     .name = "fusion_mb",
     .placeholder = "MB",
     .help =
         "Size of the buckets in which gradients are summed by sync and central_storage; tune = measure a few sizes "
         "first, and take the fastest",
     .field = &TrainSettings::fusion_mb,
     .number_limit = 65536,
     .measured = true,
     .decides = Decides::bits_on_one_world,
     .if_unset = "4"},
    {.seldom = true,
     .name = "wire_dtype",
     .placeholder = "TYPE",
     .help = "Data type in which gradients are sent by sync and central_storage, values and gradients by "
             "parameter_server: bfloat16 and float16 halve the traffic and lose precision",
     .field = &TrainSettings::wire_dtype,
     .choices = kWireTypes,
     .decides = Decides::bits_on_one_world,
     .if_unset = "float32",
     .excludes = "exact",
     .excludes_because = "--exact adds up gradients in float32"},
    {.seldom = true,
     .name = "collective",
     .placeholder = "NAME",
     .help = "Communicator that sums gradients. auto: nccl if each rank has a GPU of its own; else the one in the "
             "checkpoint, on the same number of ranks; else one from a table by hosts, ranks and bucket size. "
             "--registry_help lists them",
     .field = &TrainSettings::collective},
    {.seldom = true,
     .name = "collective_table",
     .placeholder = "FILE",
     .help = "Table of --collective=auto, as bench/collective --choose prints it (default: the built-in one)",
     .field = &TrainSettings::collective_table},
    {.seldom = true,
     .name = "overlap",
     .placeholder = "WHEN",
     .help = "Which thread sums a full bucket of gradients: inline = the thread that computes, which pauses for it; "
             "thread = a second one, at the same time (faster if a core is free); auto = inline; in a long run on "
             "several hosts or with a free core, the faster of the two in a short measurement. With parameter servers, "
             "thread = a second one sends a gradient while the next one is computed, which helps only those that go as "
             "messages; auto is inline",
     .field = &TrainSettings::overlap,
     .choices = kOverlaps,
     .measured = true},
    {.seldom = true,
     .name = "shard_optimizer",
     .help = "With --strategy=sync, divide the optimizer's state among the ranks (ZeRO-1): each updates a part of the "
             "parameters. Parameters, gradients and the average of --ema stay whole on every rank",
     .field = &TrainSettings::shard_optimizer,
     .excludes = "histogram_every",
     .excludes_because = "no rank has all of the gradients then"},
    {.seldom = true,
     .name = "hang_timeout",
     .placeholder = "TIME",
     .help = "End the job if a rank does not arrive at a collective within this time (90s, 30m, 1h30m, HH:MM:SS)",
     .field = &TrainSettings::hang_timeout,
     .least = 1},
};

}  // namespace lockstep
