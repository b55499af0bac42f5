#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "launch/flags/exit_code_help.h"
#include "launch/flags/flags_from_settings.h"
#include "launch/flags/train_command.h"
#include "train/config/schedules.h"
#include "train/config/train_setting.h"

namespace lockstep {
namespace {

std::string schedules_help() {
  std::string text = "Schedules:\n";
  for (const ScheduleKind& kind : kSchedules) text += fmt::format("  {:<29}  {}\n", kind.name, kind.help);
  return text;
}

bool is_seldom(const Flag& flag) { return train_setting(flag.name).seldom; }

std::string flags_of_part(HelpPart part) {
  const auto all = flags_from_settings();
  if (part == HelpPart::all_flags) return flags_help(all);
  std::vector<Flag> often;
  std::ranges::remove_copy_if(all, std::back_inserter(often), is_seldom);
  return fmt::format(
      "{}\n{} more flags, for tuning and for scripts of TensorFlow and tensor2tensor: train --help=all\n",
      flags_help(often), all.size() - often.size());
}

}  // namespace

std::string train_help(HelpPart part) {
  constexpr const char* kExamples =
      "train: trains a neural network on many ranks in lockstep. Without flags it trains a small\n"
      "network on generated images.\n"
      "\n"
      "  mpirun -np 2 train\n"
      "  mpirun -np 4 --oversubscribe train --problem=image_fashion_mnist --data_dir=DIR\n"
      "  mpirun -np 2 train --hparams=optimizer=sgd,learning_rate=0.05 --train_steps=500\n"
      "\n"
      "mpirun itself refuses two things before this program starts: more ranks than cores need\n"
      "--oversubscribe, and root needs OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 in the\n"
      "environment. One rank needs no mpirun: train\n"
      "\n"
      "With --output_dir a job saves, and the same command resumes from there. SIGUSR1 to mpirun, or\n"
      "SIGTERM to any rank, makes it save and exit with 75: docs/launching.md.\n"
      "\n"
      "Flags are written --name=value or --name value; --train-steps is --train_steps. Boolean flags are\n"
      "--name, --name=true, --name=false or --noname.\n"
      "\n";
  constexpr const char* kNothingSaved =
      "  128 + N  stopped by signal N with nothing saved, because there is no --output_dir; 143: SIGTERM\n";
  return kExamples + flags_of_part(part) + "\n" + schedules_help() + "\n" + exit_code_help() + kNothingSaved;
}

}  // namespace lockstep
