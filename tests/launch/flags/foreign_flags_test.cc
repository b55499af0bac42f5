#include "launch/flags/foreign_flags.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <set>
#include <string>

#include "launch/flags/flags_from_settings.h"
#include "train/registry/foreign_hparams.h"
#include "train/registry/hparams_sets.h"

namespace lockstep {
namespace {

TEST_CASE("foreign flags: each says one thing, and what it says is there") {
  const HParams common = default_hparams(builtin_registry());
  std::set<std::string_view> names;
  for (const ForeignFlag& foreign : foreign_flags()) {
    CAPTURE(foreign.name);
    CHECK(names.insert(foreign.name).second);
    CHECK(find_flag(flags_from_settings(), foreign.name) == nullptr);
    CHECK(int{!foreign.flag.empty()} + int{!foreign.hparam.empty()} + int{!foreign.instead.empty()} == 1);
    if (!foreign.hparam.empty()) CHECK(common.has(foreign.hparam));
    if (!foreign.flag.empty()) {
      const std::string_view own = foreign.flag.substr(0, foreign.flag.find('='));
      CHECK(find_flag(flags_from_settings(), own) != nullptr);
    }
    if (!foreign.instead.empty()) {
      CHECK((foreign.instead.starts_with("it ") || foreign.instead.starts_with("th")));
      CHECK_FALSE(foreign.instead.ends_with('.'));
    }
  }
}

TEST_CASE("foreign flags: what they are here, with the value that was given") {
  CHECK(meaning_here("epochs", "5") == "it is --train_epochs here: --train_epochs=5");
  CHECK(meaning_here("num_epochs", {}) == "it is --train_epochs here: --train_epochs=VALUE");
  CHECK(meaning_here("lr", "0.1") == "it is an hparam here: --hparams=learning_rate=0.1");
  for (const char* ranks : {"num_gpus", "world_size", "num_proc"}) {
    CHECK(meaning_here(ranks, "4").find("mpirun -np N train") != std::string::npos);
  }
  CHECK(meaning_here("gpus", "4").find("--devices=0,2") != std::string::npos);
  CHECK(meaning_here("bf16", {}) == "it is --precision=bfloat16 here");
  CHECK(meaning_here("fp16", "True").find("--precision=bfloat16") != std::string::npos);
  CHECK(meaning_here("scheduler", "cosine") == "it is an hparam here: --hparams=learning_rate_schedule=cosine");
  CHECK(meaning_here("val_split", "0.1") == "it is --holdout here: --holdout=0.1");
  for (const char* from : {"ckpt", "pretrained", "resume_from_checkpoint"}) {
    CHECK(meaning_here(from, "a.h5").ends_with("to begin from a file: --warm_start_from=FILE"));
  }
  CHECK(meaning_here("save_steps", "500") == "it is --save_checkpoints_steps here: --save_checkpoints_steps=500");
  CHECK(meaning_here("save_total_limit", "3") == "it is --keep_checkpoint_max here: --keep_checkpoint_max=3");
  CHECK(meaning_here("dtype", "bfloat16") == "it is --precision here: --precision=bfloat16");
  CHECK(meaning_here("cpu", {}) == "it is --device=cpu here");
  CHECK(meaning_here("gradient_checkpointing", {}) == "it is --recompute here");
  CHECK(meaning_here("eval_only", {}) == "it is --schedule=evaluate here");
  CHECK(meaning_here("dataset", "shakespeare_char").find("--problem=languagemodel_text --data_dir=FOLDER") !=
        std::string::npos);
  CHECK(meaning_here("t2t_usr_dir", "mine").find("--usr_lib=FILE") != std::string::npos);
}

TEST_CASE("foreign flags of TensorFlow's benchmarks and examples") {
  CHECK(meaning_here("sync_replicas", {}).starts_with("it is --sync here"));
  CHECK(meaning_here("distribution_strategy", "multi_worker_mirrored") ==
        "it is --strategy here: --strategy=multi_worker_mirrored");
  CHECK(meaning_here("all_reduce_alg", "ring") == "it is --collective here: --collective=ring");
  CHECK(meaning_here("variable_update", "horovod").starts_with("it is --strategy here: sync, the default"));
  CHECK(meaning_here("job_dir", "out") == "it is --output_dir here: --output_dir=out");
}

TEST_CASE("foreign flags: schedules and commands that generate text") {
  CHECK(meaning_here("evaluate", {}) == "it is --schedule=evaluate here");
  CHECK(meaning_here("inference", {}).starts_with("it is --schedule=predict here, "));
  for (const char* name :
       {"generate", "sample", "decode", "decode_from_file", "prompt", "start", "max_new_tokens", "translate"}) {
    CHECK(meaning_here(name, {}).starts_with("there is no generation of text yet; --schedule=predict "));
  }
}

TEST_CASE("foreign hparams: each has its counterpart in a set, and no set has its name") {
  const Registry registry = builtin_registry();
  std::set<std::string_view> names;
  for (const ForeignHParam& foreign : foreign_hparams()) {
    CAPTURE(foreign.name);
    CHECK(names.insert(foreign.name).second);
    CHECK(hparams_set(registry, "transformer").has(foreign.here));
    for (const std::string& set : registry.hparams_sets.names()) {
      CHECK_FALSE(hparams_set(registry, set).has(foreign.name));
    }
    CHECK(meaning_here(foreign.name, "6") == fmt::format("it is an hparam here: --hparams={}=6", foreign.here));
  }
}

TEST_CASE("hparams given as flags, and slips of their names") {
  CHECK(meaning_here("learning_rate", "0.1") == "it is an hparam: --hparams=learning_rate=0.1");
  CHECK(meaning_here("batch_size", "64") == "it is an hparam: --hparams=batch_size=64");
  CHECK(meaning_here("num_filters", {}) == "it is an hparam: --hparams=num_filters=VALUE");  // from one model's set
  CHECK(meaning_here("lerning_rate", "1") == "did you mean hparam learning_rate? --hparams=learning_rate=1");
  CHECK(meaning_here("modle", "mlp").empty());  // a flag is nearer
  CHECK(meaning_here("zzz", "1").empty());
  CHECK(meaning_here("batch_size", "\x1b[31m").ends_with("=batch_size=\\x1b[31m"));
}

}  // namespace
}  // namespace lockstep
