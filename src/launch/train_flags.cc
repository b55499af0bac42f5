#include "launch/train_flags.h"

namespace lockstep {

std::span<const Flag> train_flags() {
  static constexpr Flag kFlags[] = {
      {"What to train", "problem", "NAME", "image_shapes",
       "The data set; image_shapes is generated and needs no files, others read --data_dir"},
      {"What to train", "data_dir", "DIR", "", "Where the problem's files are"},
      {"What to train", "model", "NAME", "mlp", "The network"},
      {"What to train", "hparams_set", "NAME", "",
       "The named set of hyperparameters to start from (default: the set of the model's name)"},
      {"What to train", "hparams", "LIST", "",
       "Changes to that set: --hparams=optimizer=sgd,learning_rate=0.05,hidden_size=256"},
      {"What to train", "config", "FILE", "",
       "Read flags from this file, one JSON object, as config.json of an --output_dir; the command line wins"},
      {"What to train", "usr_lib", "FILE", "",
       "A shared library of your own that adds problems, models, hparams sets and optimizers; docs/extending.md "
       "shows how to write one"},
      {"What to train", "t2t_usr_dir", "DIR", "", "", "",
       "names modules of Python, which this program does not run; what they register has to be written in C++, built "
       "as a shared library and given as --usr_lib=FILE (docs/extending.md)"},
      {"What to train", "registry_help", "", "", "List all problems, models and hparams sets, and end"},
      {"What to train", "print_hparams", "", "", "Print the resulting hyperparameters as JSON, and end"},
      {"What to train", "print_schedule", "", "",
       "Print the learning rate over the steps, as numbers and as a curve, and end"},

      {"How long", "train_steps", "STEPS", "", "Stop after this step (default: what the hparams set says)"},
      {"How long", "train_epochs", "EPOCHS", "", "Stop after so many passes over the training split, instead"},
      {"How long", "local_eval_frequency", "STEPS", "1000",
       "Evaluate on the test split whenever this many steps are done (at least 100), and at the end; 0 = only at "
       "the end"},
      {"How long", "eval_steps", "STEPS", "",
       "Evaluate on so many batches of hparam batch_size, the first of the split (default: the whole split)"},
      {"How long", "stop_after", "TIME", "",
       "Save in time to end this long after the start, with exit code 75 (90s, 30m, 1h30m, HH:MM:SS): a little less "
       "than the job's time limit"},
      {"How long", "random_seed", "N", "1",
       "Seed of initial values, shuffling, dropout and generated data, for any number of ranks"},

      {"What is learned", "ema", "DECAY", "",
       "Evaluate the exponential moving average of the weights, with this decay: --ema=0.999"},

      {"How ranks agree", "strategy", "NAME", "sync",
       "sync: all ranks make each step together. model_averaging: each rank trains alone, and their parameters are "
       "averaged every --sync_every steps and at the end"},
      {"How ranks agree", "sync_every", "STEPS", "100", "Steps between two averages of model_averaging"},
      {"How ranks agree", "global_batch_size", "N", "",
       "Samples of a step over all ranks, however many there are (default: hparam batch_size for each rank)"},
      {"How ranks agree", "exact", "", "",
       "The same bits for any number of ranks up to --micro_shards; needs --global_batch_size"},
      {"How ranks agree", "micro_shards", "N", "8",
       "Parts that --exact cuts the global batch into; another number gives other bits"},
      {"How ranks agree", "fusion_mb", "MB", "4", "Gradients of sync travel in buckets of this size"},
      {"How ranks agree", "overlap", "WHEN", "auto",
       "When buckets of sync are summed: inline = in the backward pass as each is complete, thread = by a second "
       "thread meanwhile (pays if there is a core for it), auto = the program chooses"},
      {"How ranks agree", "hang_timeout", "TIME", "60s",
       "End the job if a rank has not come to an exchange after this time (90s, 30m, 1h30m, HH:MM:SS)"},

      {"Where it runs", "device", "DEVICE", "auto", "auto, cpu, cuda or cuda:N"},

      {"Where results go", "output_dir", "DIR", "",
       "Checkpoints, metrics and logs are written here, and a checkpoint that is there is gone on from; without it "
       "nothing is written. Also: --model_dir",
       "model_dir"},
      {"Where results go", "save_checkpoints_steps", "STEPS", "",
       "Save whenever this many steps are done, and at the end (default: when evaluations are made)"},
      {"Where results go", "save_checkpoints_secs", "TIME", "0",
       "Save whenever this time has passed, instead (600, 30m, 1h30m, HH:MM:SS); 0 = not by time"},
      {"Where results go", "keep_checkpoint_max", "N", "20", "Keep so many of the newest checkpoints; 0 = all"},
      {"Where results go", "resume", "WHICH", "newest",
       "Go on from the newest checkpoint, or from the previous one, where the newest is damaged"},
      {"Where results go", "allow_changes", "NAMES", "",
       "What may differ from the run that wrote the checkpoint, although it changes the result: "
       "--allow_changes=learning_rate,batch_size"},

      {"What is shown", "log_every", "STEPS", "100", "A line about training every so many steps"},
      {"What is shown", "quiet", "", "", "Show warnings and errors only"},
      {"What is shown", "help", "", "", "Show this text, and end"},
      {"What is shown", "version", "", "", "Show the version and what is built in, and end"},
  };
  return kFlags;
}

}  // namespace lockstep
