#pragma once

namespace lockstep {

// A flag of t2t-trainer, as listed in facts/compatibility.md (2.1), with values to try it with.
struct T2tFlag {
  const char* flag;
  const char* t2t_default;   // "-": none that could be given
  const char* other = "";    // an accepted value
  const char* refused = "";  // a refused value
};

inline constexpr T2tFlag kT2tFlags[] = {{"master", "", "grpc://h:1"},
                                        {"output_dir", "-", "d"},
                                        {"data_dir", "-", "d"},
                                        {"tmp_dir", "/tmp/t2t_datagen", "d"},
                                        {"t2t_usr_dir", "-", "", "d"},
                                        {"model", "-", "mlp"},
                                        {"problem", "-", "image_shapes"},
                                        {"hparams_set", "-", "mlp"},
                                        {"hparams", "", "batch_size=8"},
                                        {"hp_batch_size", "-", "8"},
                                        {"schedule", "continuous_train_and_eval", "train"},
                                        {"train_steps", "250000", "7"},
                                        {"eval_steps", "100", "7"},
                                        {"local_eval_frequency", "1000", "0"},
                                        {"save_checkpoints_secs", "0"},
                                        {"keep_checkpoint_max", "20"},
                                        {"keep_checkpoint_every_n_hours", "10000", "10000.0", "2"},
                                        {"eval_throttle_seconds", "600", "", "60"},
                                        {"eval_timeout_mins", "240", "-1"},
                                        {"eval_use_test_set", "False", "true"},
                                        {"generate_data", "False", "", "True"},
                                        {"registry_help", "False", "true"},
                                        {"sync", "False", "True"},
                                        {"ps_replicas", "0", "2"},
                                        {"ps_gpu", "0", "2"},
                                        {"ps_job", "/job:ps", "/job:x"},
                                        {"worker_replicas", "1", "3"},
                                        {"worker_id", "0", "2"},
                                        {"worker_gpu", "1", "0"},
                                        {"worker_job", "/job:localhost", "/job:worker"},
                                        {"worker_gpu_memory_fraction", "0.95", "", "0.5"},
                                        {"gpu_order", "", "1 0"},
                                        {"random_seed", "-", "5"},
                                        {"log_step_count_steps", "100", "5"},
                                        {"std_server_protocol", "grpc", "", "grpc+verbs"},
                                        {"warm_start_from", "-", "d"},
                                        {"optionally_use_dist_strat", "False", "", "True"},
                                        {"gpu_automatic_mixed_precision", "False", "", "True"},
                                        {"xla_jit_level", "-1", "", "1"}};

}  // namespace lockstep
