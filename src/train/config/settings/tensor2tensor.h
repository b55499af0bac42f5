#pragma once

#include "train/config/train_setting.h"

namespace lockstep {

inline constexpr TrainSetting kTensor2TensorSettings[] = {
    {.name = "tmp_dir",
     .placeholder = "DIR",
     .help = "Accepted and ignored: nothing is downloaded",
     .scope = SettingScope::process},
    {.name = "generate_data",
     .help = "Only false is accepted: --data_dir is read as it is",
     .t2t_default = "false",
     .no_other = "there is nothing to generate: --data_dir is read as it is; leave it out"},
    {.name = "keep_checkpoint_every_n_hours",
     .placeholder = "HOURS",
     .help = "Only 10000 is accepted, which keeps no further checkpoints",
     .t2t_default = "10000",
     .no_other = "checkpoints are kept by number, not by age: --keep_checkpoint_max=N keeps the newest, 0 all of them, "
                 "and --keep_best=METRIC the best; leave it out"},
    {.name = "eval_throttle_seconds",
     .placeholder = "SECONDS",
     .help = "Only 600 is accepted; --local_eval_frequency says how often to evaluate",
     .t2t_default = "600",
     .no_other =
         "evaluations are made by steps, not by time: --local_eval_frequency=STEPS says how often; leave it out"},
    {.name = "worker_gpu_memory_fraction",
     .placeholder = "SHARE",
     .help = "Only 0.95 is accepted; memory is allocated as it is needed",
     .t2t_default = "0.95",
     .no_other = "memory is taken as it is needed, and no share set apart; hparam batch_size says how much that is; "
                 "leave it out"},
    {.name = "std_server_protocol",
     .placeholder = "NAME",
     .help = "Only grpc is accepted, and ignored",
     .t2t_default = "grpc",
     .no_other = "ranks talk through MPI, which chooses the network: mpirun --mca says how "
                 "(docs/launching.md); leave it out"},
    {.name = "optionally_use_dist_strat",
     .help = "Only false is accepted; --strategy takes tf.distribute's names",
     .t2t_default = "false",
     .no_other = "--strategy=NAME says how replicas agree, and takes the names of tf.distribute; leave it out"},
    {.name = "gpu_automatic_mixed_precision",
     .help = "Only false is accepted; mixed precision is --precision=bfloat16",
     .t2t_default = "false",
     .no_other = "mixed precision is --precision=bfloat16 here; leave it out"},
    {.name = "xla_jit_level",
     .placeholder = "LEVEL",
     .help = "Only -1 is accepted; nothing is compiled",
     .t2t_default = "-1",
     .no_other = "there is no XLA, and nothing to compile; leave it out"},
};

}  // namespace lockstep
