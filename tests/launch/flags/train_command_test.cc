#include "launch/flags/train_command.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "launch/flags/flags_from_settings.h"
#include "launch/flags/t2t_flags.h"
#include "support/check_error.h"

using lockstep::builtin_registry;
using lockstep::check_error;
using lockstep::Error;
using lockstep::ExitCode;
using lockstep::HelpPart;
using lockstep::kT2tFlags;
using lockstep::read_train_command;
using lockstep::Scope;
using lockstep::T2tFlag;
using lockstep::TrainCommand;
using lockstep::TrainSettings;
using Args = std::vector<std::string>;
using Request = TrainCommand::Request;

namespace {

TrainSettings settings_of(const Args& args) {
  return lockstep::settings_of(read_train_command(args), builtin_registry());
}

// Returns the message that refuses args; checks code and scope.
std::string refusal(const Args& args, ExitCode code = ExitCode::usage) {
  try {
    settings_of(args);
  } catch (const Error& error) {
    CHECK(error.code() == code);
    CHECK(error.scope() == Scope::every_rank);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("train command: without flags the default job, every value filled in") {
  CHECK(read_train_command({}).request == Request::train);
  const TrainSettings options = settings_of({});
  CHECK(options == TrainSettings());
  CHECK(options.problem == "image_shapes");
  CHECK(options.model == "mlp");
  CHECK(hparams_set_name(options) == "mlp");
  CHECK(options.hparams.empty());
  CHECK(options.usr_lib.empty());
  CHECK(options.data_dir.empty());
  CHECK(options.output_dir.empty());
  CHECK_FALSE(options.train_steps.has_value());
  CHECK_FALSE(options.eval_frequency.has_value());
  CHECK(options.seed == 1);
  CHECK(options.strategy == "sync");
  CHECK(options.sync_every == 100);
  CHECK_FALSE(options.global_batch_size.has_value());
  CHECK_FALSE(options.exact);
  CHECK(options.micro_shards == 8);
  CHECK_FALSE(options.fusion_mb.has_value());
  CHECK(options.wire_dtype.empty());
  CHECK(options.overlap == "auto");
  CHECK(options.hang_timeout == std::chrono::seconds(60));
  CHECK(options.device == "auto");
  CHECK(options.log_every == 100);
  CHECK_FALSE(options.quiet);
  CHECK_FALSE(options.save_steps.has_value());
  CHECK_FALSE(options.save_time.has_value());
  CHECK_FALSE(options.keep_checkpoints.has_value());
  CHECK(options.resume == "newest");
  CHECK(options.allow_changes.empty());
  CHECK_FALSE(options.stop_after.has_value());
}

TEST_CASE("train command: every flag arrives where it belongs") {
  const TrainSettings options = settings_of({"--problem=image_mnist",
                                             "--model=linear",
                                             "--hparams_set=small",
                                             "--hparams=a=1,b=[2,3]",
                                             "--data-dir",
                                             "data",
                                             "--model_dir=out",
                                             "--train_steps=7",
                                             "--local_eval_frequency=0",
                                             "--random_seed=9223372036854775807",
                                             "--exact",
                                             "--global_batch_size=64",
                                             "--micro_shards=5",
                                             "--fusion_mb=0.25",
                                             "--overlap=thread",
                                             "--shard_optimizer",
                                             "--hang_timeout=1h30m",
                                             "--device=cuda:1",
                                             "--log_every=3",
                                             "--quiet"});
  CHECK(options.problem == "image_mnist");
  CHECK(options.model == "linear");
  CHECK(hparams_set_name(options) == "small");
  CHECK(options.hparams == "a=1,b=[2,3]");
  CHECK(options.data_dir == "data");
  CHECK(options.output_dir == "out");
  CHECK(options.train_steps == 7);
  CHECK(options.eval_frequency == 0);
  CHECK(options.seed == 9223372036854775807U);
  CHECK(options.exact);
  CHECK(options.global_batch_size == 64);
  CHECK(options.micro_shards == 5);
  CHECK(options.fusion_mb == 0.25);
  CHECK(options.overlap == "thread");
  CHECK(options.shard_optimizer);
  CHECK(options.hang_timeout == std::chrono::seconds(5400));
  CHECK(options.device == "cuda:1");
  CHECK(options.log_every == 3);
  CHECK(options.quiet);

  const TrainSettings averaging = settings_of({"--strategy=model_averaging", "--sync_every=50"});
  CHECK(averaging.sync_every == 50);
  CHECK(settings_of({"--wire_dtype=bfloat16"}).wire_dtype == "bfloat16");
  CHECK(settings_of({"--usr_lib=build/libmine.so"}).usr_lib == "build/libmine.so");
}

TEST_CASE("train command: checkpoints") {
  const TrainSettings options = settings_of(
      {"--output_dir=out", "--save_checkpoints_steps=50", "--save_checkpoints_secs=0", "--keep_checkpoint_max=3",
       "--resume=previous", "--allow-changes=learning-rate,ema", "--stop_after=1h30m"});
  CHECK(options.save_steps == 50);
  CHECK_FALSE(options.save_time.has_value());
  CHECK(options.keep_checkpoints == 3);
  CHECK(options.resume == "previous");
  CHECK(options.allow_changes == Args{"learning_rate", "ema"});
  CHECK(options.stop_after == std::chrono::seconds(5400));
  CHECK(settings_of({"--output_dir=out", "--save_checkpoints_secs=10m"}).save_time == std::chrono::seconds(600));
  CHECK(settings_of({"--output_dir=out", "--save_checkpoints_secs=0s", "--save_checkpoints_steps=5"}).save_steps == 5);
  CHECK(settings_of({"--output_dir=out", "--resume=newest"}).resume == "newest");
  CHECK(settings_of({"--stop_after=5"}).stop_after == std::chrono::seconds(5));

  CHECK(
      refusal({"--output_dir=o", "--save_checkpoints_steps=5", "--save_checkpoints_secs=5"}) ==
      "--save_checkpoints_secs=5: --save_checkpoints_steps is given, too: both say when to save; leave one of the two "
      "out");
  for (const char* flag : {"--save_checkpoints_steps=5", "--save_checkpoints_secs=5", "--keep_checkpoint_max=5",
                           "--resume=newest", "--allow_changes=ema"}) {
    CHECK(refusal({flag}) ==
          std::string(flag) + ": has a meaning with --output_dir=DIR only; add that or leave it out");
  }
  for (const char* flag :
       {"--save_checkpoints_steps=0", "--save_checkpoints_secs=-1", "--keep_checkpoint_max=-1", "--resume=oldest",
        "--allow_changes=", "--allow_changes=a,,b", "--allow_changes=a,", "--stop_after=0"}) {
    CAPTURE(flag);
    CHECK(refusal({"--output_dir=out", flag}).starts_with(std::string(flag) + ": expected "));
  }
}

TEST_CASE("train command: results are written to folders, not to stores") {
  for (const char* folder : {"gs://bucket/run", "s3://bucket", "hdfs://host/run", "file:///tmp", "A+b-c.1://x"}) {
    const std::string message = refusal({std::string("--output_dir=") + folder}, ExitCode::configuration);
    CHECK(message.starts_with(std::string("--output_dir=") + folder + ": "));
    CHECK(message.find("mount") != std::string::npos);
  }
  for (const char* folder : {"gs:/x", "a//b", "://x", "runs/a://b", "//server/x"}) {
    CHECK(settings_of({std::string("--output_dir=") + folder}).output_dir == folder);
  }
}

TEST_CASE("train command: a model takes the set of its own name") {
  CHECK(hparams_set_name(settings_of({"--model=linear"})) == "linear");
  CHECK(hparams_set_name(settings_of({"--hparams_set=linear"})) == "linear");
}

TEST_CASE("train command: without --model it is the one that fits the problem") {
  const auto model = [](const Args& args) { return settings_of(args).model; };
  CHECK(model({}) == "mlp");
  CHECK(model({"--problem=languagemodel_text"}) == "transformer_lm");
  CHECK(model({"--problem=sequences"}) == "transformer");
  CHECK(model({"--problem=languagemodel_text", "--model=mlp"}) == "mlp");
  CHECK(hparams_set_name(settings_of({"--problem=languagemodel_text"})) == "transformer_lm");
  check_error(ExitCode::usage, {"no problem 'sequence' (did you mean 'sequences'?)"},
              [] { settings_of({"--problem=sequence"}); });
}

TEST_CASE("train command: what other programs take as a value, and words that belong to no flag") {
  const std::string none = "; there is no generation of text yet; --schedule=predict scores given sequences ";
  for (const char* schedule : {"generate", "sample", "decode"}) {
    CHECK(refusal({"--schedule=" + std::string(schedule)}).find(none) != std::string::npos);
  }
  CHECK(refusal({"--precision=bf16"}) == "--precision=bf16: expected float32, tf32 or bfloat16; it is bfloat16 here");
  CHECK(refusal({"--precision=16-mixed"}).find("mixed precision is --precision=bfloat16") != std::string::npos);
  const std::string by_itself =
      "; the flag is not needed: with the same --output_dir a run resumes by itself; to begin from a file: "
      "--warm_start_from=FILE";
  CHECK(refusal({"--output_dir=out", "--resume=a.h5"}) == "--resume=a.h5: expected newest or previous" + by_itself);
  CHECK(refusal({"--output_dir=out", "--resume"}) == "--resume needs a value: --resume=WHICH" + by_itself);
  CHECK(refusal({"--resume", "--output_dir=out"}).ends_with("write --resume=--output_dir=out" + by_itself));
  CHECK(refusal({"evaluate"}) == "'evaluate' belongs to no flag: it is --schedule=evaluate here");
  CHECK(refusal({"train_steps=100"}) ==
        "'train_steps=100' belongs to no flag: flags begin with two dashes, as in --train_steps=100");
  CHECK(refusal({"learning_rate=0.1"}) ==
        "'learning_rate=0.1' belongs to no flag: it is an hparam: --hparams=learning_rate=0.1");
  CHECK(refusal({"--hparams=dropout=0", "--hparams=hidden_size=8"}) ==
        "--hparams is given twice, as 'dropout=0' and as 'hidden_size=8'; join them with a comma: "
        "--hparams=dropout=0,hidden_size=8");
  CHECK(refusal({"--sync", "deu.txt"}).starts_with("'deu.txt' belongs to no flag; values are written "));
}

TEST_CASE("train command: what is asked for") {
  const auto request = [](const Args& args) { return read_train_command(args).request; };
  CHECK(request({"--help"}) == Request::help);
  CHECK(request({"--hlep", "--help"}) == Request::help);
  CHECK(request({"--help=true"}) == Request::help);
  CHECK(request({"--hlep", "--help=all"}) == Request::all_help);
  CHECK(request({"--version", "--nonsense"}) == Request::version);
  CHECK(request({"--registry_help"}) == Request::registry_help);
  CHECK(request({"--print_hparams", "--model=linear"}) == Request::print_hparams);
  CHECK(request({"--print_hparams=false"}) == Request::train);
  check_error(ExitCode::usage, {"--print_hparams and --print_schedule each print"}, [&] {
    request({"--print_schedule", "--print_hparams"});
  });
}

TEST_CASE("train command: steps and epochs may both be given, and no lines about training be asked for") {
  const TrainSettings both = settings_of({"--train_steps=5", "--train_epochs=3"});
  CHECK(both.train_steps == 5);
  CHECK(both.train_epochs == 3);
  CHECK(settings_of({"--log_every=0"}).log_every == 0);
}

TEST_CASE("train command: a size is a number, or left to be measured") {
  const TrainSettings tuned = settings_of({"--fusion_mb=tune"});
  REQUIRE(tuned.fusion_mb.has_value());
  CHECK(tuned.fusion_mb->tune);
  CHECK(refusal({"--fusion_mb=tuned"}) == "--fusion_mb=tuned: expected a number above 0 and up to 65536, or tune");
  CHECK(refusal({"--strategy=model_averaging", "--fusion_mb=tune"}).starts_with("--fusion_mb=tune: has a meaning"));
}

TEST_CASE("train command: malformed values") {
  CHECK(refusal({"--train_steps=1e3"}) == "--train_steps=1e3: expected a whole number from 1 to 4294967295");
  CHECK(refusal({"--train_steps=4294967296"}).starts_with("--train_steps=4294967296: "));
  for (const char* flag : {"--train_steps=0", "--global_batch_size=0", "--log_every=-1", "--random_seed=-1",
                           "--local_eval_frequency=-1", "--fusion_mb=0", "--fusion_mb=1e-3x", "--fusion_mb=nan",
                           "--hang_timeout=0", "--hang_timeout=5x", "--hang_timeout=-5", "--hang_timeout=1h90m",
                           "--overlap=always", "--strategy=Sync", "--quiet=maybe", "--global_batch_size=2147483648"}) {
    CAPTURE(flag);
    CHECK(refusal({flag}).starts_with(std::string(flag) + ": expected "));
  }
  CHECK(refusal({"--strategy=model_avereging"}) ==
        "--strategy=model_avereging: expected central_storage, model_averaging, parameter_server or sync (did you mean "
        "'model_averaging'?)");
  CHECK(refusal({"--modle=mlp"}) == "unknown flag --modle (did you mean --model?); train --help lists the flags");
  CHECK(refusal({"--model_dir=a", "--output_dir=a"}).starts_with("--output_dir is given twice"));
}

TEST_CASE("train command: an empty name or folder is a script's mistake, empty hparams are none") {
  for (const char* flag :
       {"--problem=", "--model=", "--hparams_set=", "--data_dir=", "--output_dir=", "--device=", "--usr_lib="}) {
    CHECK(refusal({flag}) == std::string(flag) + ": the value is empty; is a variable unset?");
  }
  CHECK(settings_of({"--hparams="}).hparams.empty());
}

TEST_CASE("train command: tensor2tensor's folder of Python modules is refused with the flag to use") {
  const std::string message = refusal({"--t2t-usr-dir", "my_problems"});
  CHECK(message.starts_with("unknown flag --t2t-usr-dir: it names modules of Python"));
  CHECK(message.find("--usr_lib=FILE") != std::string::npos);
}

TEST_CASE("train command: hparams and other programs' flags are answered with what they are here") {
  CHECK(refusal({"--batch_size=64"}) == "unknown flag --batch_size: it is an hparam: --hparams=batch_size=64");
  CHECK(refusal({"--learning-rate", "0.1"}) ==
        "unknown flag --learning-rate: it is an hparam: --hparams=learning_rate=0.1");
  CHECK(refusal({"--epochs=3"}) == "unknown flag --epochs: it is --train_epochs here: --train_epochs=3");
  CHECK(refusal({"--seed=3"}) == "unknown flag --seed (did you mean --random_seed?); train --help lists the flags");
  for (const char* flag : {"--hparams_range=r", "--decode_hparams=beam_size=4"}) {
    CAPTURE(flag);
    CHECK(refusal({flag}).find(": ") != std::string::npos);
    CHECK(refusal({flag}).find("did you mean") == std::string::npos);
  }
}

TEST_CASE("train command: --hp_NAME adds to --hparams, after what that says, in their order") {
  CHECK(settings_of({"--hp_learning_rate", "0.1", "--hparams=a=1", "--hp-batch_size=[2,3]"}).hparams ==
        "a=1,learning_rate=0.1,batch_size=[2,3]");
  CHECK(settings_of({"--hp_x=-1"}).hparams == "x=-1");
  CHECK(settings_of({"--hp_x", "-1", "--hparams="}).hparams == "x=-1");
  CHECK(refusal({"--hp_x"}) == "--hp_x needs a value: --hp_x=VALUE");
  CHECK(refusal({"--hp_x", "--quiet"}) == "--hp_x needs a value: --hp_x=VALUE");
  CHECK(refusal({"--hp_=3"}) == "--hp_: a name has to follow: --hp_NAME=VALUE");
}

TEST_CASE("train command: the strategies of tf.distribute by their names") {
  for (const char* name : {"MultiWorkerMirroredStrategy", "multi_worker_mirrored", "MirroredStrategy", "mirrored",
                           "tf.distribute.experimental.MultiWorkerMirroredStrategy", "OneDevice", "default", "sync"}) {
    CAPTURE(name);
    CHECK(settings_of({std::string("--strategy=") + name}).strategy == "sync");
  }
  const auto strategy_of = [](const std::string& name, lockstep::JobReach job) {
    return lockstep::settings_of(read_train_command(Args{"--strategy=" + name}), builtin_registry(), job).strategy;
  };
  CHECK(strategy_of("Mirrored", {.ranks = 8, .hosts = 1}) == "sync");
  CHECK(strategy_of("MultiWorkerMirrored", {.ranks = 8, .hosts = 2}) == "sync");
  CHECK(strategy_of("tf.distribute.experimental.CentralStorageStrategy", {.ranks = 8, .hosts = 1}) ==
        "central_storage");
  check_error(ExitCode::configuration, {"--strategy=Mirrored: ", "2 hosts", "--strategy=sync"},
              [&] { strategy_of("Mirrored", {.ranks = 8, .hosts = 2}); });
  check_error(ExitCode::configuration, {"--strategy=OneDevice: ", "2 ranks"},
              [&] { strategy_of("OneDevice", {.ranks = 2, .hosts = 1}); });
  for (const char* name : {"parameter_server", "ParameterServer", "ParameterServerStrategyV2",
                           "tf.distribute.experimental.ParameterServerStrategy"}) {
    CAPTURE(name);
    CHECK(strategy_of(name, {.ranks = 8, .hosts = 2}) == "parameter_server");
  }
  CHECK(refusal({"--strategy=TPUStrategy"}, ExitCode::configuration).find("there is no support") != std::string::npos);
}

TEST_CASE("train command: ways to train that papers have names for are answered with the nearest strategy") {
  const auto answer = [](const std::string& name, const std::string& near) {
    return fmt::format(
        "--strategy={}: expected central_storage, model_averaging, parameter_server or sync (did you mean '{}'?)", name,
        near);
  };
  for (const std::string name : {"local_sgd", "LocalSGD", "diloco", "easgd"}) {
    CHECK(refusal({"--strategy=" + name}) == answer(name, "model_averaging"));
  }
  for (const std::string name : {"hogwild", "Downpour"}) {
    CHECK(refusal({"--strategy=" + name}) == answer(name, "parameter_server"));
  }
}

TEST_CASE("train command: ways to train that PyTorch's programs have names for are answered with what is here") {
  for (const char* name : {"ddp", "DP", "horovod"}) {
    CHECK(refusal({std::string("--strategy=") + name}) ==
          std::string("--strategy=") + name + ": it is sync here, the default");
  }
  for (const char* name : {"fsdp", "zero"}) {
    CHECK(refusal({std::string("--strategy=") + name}).find("sync with --shard_optimizer") != std::string::npos);
  }
}

TEST_CASE("train command: --collective by TensorFlow's names") {
  CHECK(settings_of({"--collective=CollectiveCommunication.RING"}).collective == "ring");
  CHECK(settings_of({"--collective=HierarchicalCopyAllReduce"}).collective == "hierarchical");
  CHECK(settings_of({"--collective=unknown"}).collective == "unknown");  // the table refuses it later
}

TEST_CASE("train command: every flag of t2t-trainer does what it says there, or is refused with what to use instead") {
  const char* const schedules[] = {"train", "continuous_train_and_eval", "continuous_eval", "evaluate", "predict"};
  for (const T2tFlag& each : kT2tFlags) {
    CAPTURE(each.flag);
    const std::string flag = std::string("--") + each.flag + "=";
    for (const std::string schedule : schedules) {
      const bool of_schedule = std::string(each.flag) == "schedule";
      const Args start = of_schedule ? Args{} : Args{"--schedule=" + schedule};
      Args args = start;
      args.push_back(flag + each.t2t_default);
      if (std::string(each.t2t_default) != "-") CHECK(refusal(args) == "");
    }
    if (*each.other != '\0') CHECK(refusal({flag + each.other}) == "");
    if (*each.refused != '\0') {
      const std::string why = refusal({flag + each.refused});
      CHECK(why.find("--") == why.find(std::string("--") + each.flag));
      CHECK(why.find("did you mean") == std::string::npos);
    }
  }
}

TEST_CASE("train command: flags without a meaning in the chosen mode") {
  CHECK(refusal({"--sync_every=5"}) ==
        "--sync_every=5: has a meaning with --strategy=model_averaging only; add that or leave it out");
  CHECK(refusal({"--micro_shards=8"}) == "--micro_shards=8: has a meaning with --exact only; add that or leave it out");
  CHECK(refusal({"--exact=false", "--micro_shards=8"}).starts_with("--micro_shards=8: has a meaning"));
  CHECK(refusal({"--strategy=model_averaging", "--overlap=thread"}).starts_with("--overlap=thread: has a meaning"));
  CHECK(refusal({"--strategy=model_averaging", "--fusion_mb=4"}).starts_with("--fusion_mb=4: has a meaning"));
}

TEST_CASE("train command: what --shard_optimizer cannot be kept with") {
  CHECK(refusal({"--shard_optimizer", "--strategy=model_averaging"})
            .starts_with("--shard_optimizer=true: has a meaning with"));
  const std::string divided =
      "--histogram_every=5 cannot be kept with --shard_optimizer: no rank has all of the gradients then";
  CHECK(refusal({"--shard_optimizer", "--histogram_every=5", "--output_dir=out"}, ExitCode::configuration)
            .starts_with(divided));
  CHECK(refusal({"--shard_optimizer", "--histogram_every=0", "--output_dir=out"}) == "");
  CHECK(refusal({"--shard_optimizer=false", "--histogram_every=5", "--output_dir=out"}) == "");
}

TEST_CASE("train command: what --strategy=central_storage cannot be kept with") {
  const std::string central = "--strategy=central_storage";
  CHECK(refusal({central, "--shard_optimizer"}) ==
        "--shard_optimizer=true: has a meaning with --strategy=sync only; add that or leave it out");
  CHECK(
      refusal({central, "--histogram_every=5", "--output_dir=out"}, ExitCode::configuration)
          .starts_with(
              "--histogram_every=5 cannot be kept with --strategy=central_storage: no rank has all of the gradients"));
  CHECK(refusal({central, "--histogram_every=0", "--output_dir=out"}) == "");
  CHECK(refusal({central, "--wire_dtype=bfloat16", "--overlap=thread", "--fusion_mb=1"}) == "");
  CHECK(refusal({central, "--exact", "--global_batch_size=8"}) == "");
}

TEST_CASE("train command: what --wire_dtype cannot be kept with") {
  CHECK(refusal({"--wire_dtype=float16", "--strategy=model_averaging"})
            .starts_with(
                "--wire_dtype=float16: has a meaning with --strategy=central_storage, parameter_server or sync only"));
  CHECK(refusal({"--wire_dtype=float64"}).starts_with("--wire_dtype=float64: "));
  CHECK(refusal({"--wire_dtype=bfloat16", "--exact", "--global_batch_size=8"}, ExitCode::configuration)
            .starts_with("--exact cannot be kept with --wire_dtype=bfloat16: --exact adds up gradients in float32; "));
  CHECK(refusal({"--wire_dtype=bfloat16", "--exact=false"}) == "");
  CHECK(refusal({"--wire_dtype=float32", "--exact", "--global_batch_size=8"}) == "");
}

TEST_CASE("train command: what --ps_apply=accumulate cannot be kept with") {
  const std::string servers = "--strategy=parameter_server";
  const std::string adds = "--ps_apply=accumulate";
  for (const std::string flag : {"--max_staleness=4", "--sum_updates=2", "--on_worker_loss=continue", "--ps_log",
                                 "--ps_replay=file", "--ps_transport=p2p"}) {
    CAPTURE(flag);
    CHECK(refusal({servers, adds, flag, "--output_dir=out"}, ExitCode::configuration)
              .starts_with(flag + " cannot be kept with --ps_apply=accumulate: "));
    CHECK(refusal({servers, "--ps_apply=optimizer", flag, "--output_dir=out"}) == "");
  }
  for (const std::string flag : {"--sum_updates=1", "--on_worker_loss=stop", "--ps_transport=rma"}) {
    CAPTURE(flag);
    CHECK(refusal({servers, adds, flag}) == "");
  }
}

TEST_CASE("train command: what --exact needs and what it cannot keep") {
  CHECK(refusal({"--exact"}).starts_with("--exact needs --global_batch_size=N: "));
  CHECK(refusal({"--exact", "--global_batch_size=8", "--strategy=model_averaging"}, ExitCode::configuration)
            .starts_with("--exact cannot be kept with --strategy=model_averaging: "));
}

TEST_CASE("train command: the help names every flag and exit code, and fits 100 columns") {
  const std::string text = lockstep::train_help(HelpPart::all_flags);
  for (const lockstep::Flag& flag : lockstep::flags_from_settings()) {
    CAPTURE(flag.name);
    CHECK(text.find("      --" + std::string(flag.name)) != std::string::npos);
  }
  for (const char* part :
       {"mpirun -np 2 train\n", "--oversubscribe", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
        "\n  64  ", "\n  65  ", "\n  66  ", "\n  70  ", "\n  74  ", "\n  75  ", "\n  78  ", "\n  128 + N  "}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 100);
    CHECK_FALSE(line.ends_with(' '));
  }
}

TEST_CASE("train command: the help without =all is short, leaves out what is seldom needed, and says so") {
  const std::string text = lockstep::train_help(HelpPart::most_used_flags);
  CHECK(std::ranges::count(text, '\n') <= 120);
  CHECK(text.find("      --worker_hosts") == std::string::npos);
  CHECK(text.find("      --xla_jit_level") == std::string::npos);
  CHECK(text.find("      --schedule NAME") != std::string::npos);
  CHECK(text.find("more flags, for tuning and for scripts of TensorFlow and tensor2tensor: train --help=all\n") !=
        std::string::npos);
}
