#pragma once

#include <span>
#include <string>

#include "launch/flags/command_line.h"
#include "launch/flags/merge_flags.h"
#include "train/config/settings.h"
#include "train/registry/registry.h"
#include "train/strategy/strategy_name.h"

namespace lockstep {

// The request to `train`, as far as it can be read without the tables of names, to which a user's library may add, and
// without the other processes, whose flags may hold for this one too.
struct TrainCommand {
  enum class Request { train, help, all_help, version, registry_help, print_hparams, print_memory, print_schedule };
  Request request = Request::train;
  CommandLine line;
  std::string config_text;  // text of the --config file
};

// Reads the command line, without the program's name, and the file of --config. Throws Error of every rank: usage for a
// flag that is unknown, repeated or malformed, or a value that no run takes; missing_input for a --config that is not
// there.
TrainCommand read_train_command(std::span<const std::string> args);

// flags_of(): the flags that the process tells the others. take_flags() makes the command one with the flags `merged`,
// which it takes from them.
GivenFlags flags_of(const TrainCommand& command);
void take_flags(TrainCommand& command, const GivenFlags& merged);

// The settings of the command line alone, for what is needed before the others are known. Throws Error(usage) of every
// rank for a value that no run takes.
TrainSettings settings_of_line(const TrainCommand& command);

// The user's library that the command names, also in the file; "" = none.
std::string usr_lib_of(const TrainCommand& command);

// The settings of the command: the command line's, then those of the file that it leaves open, then the defaults. That
// the problem, model, set and device exist is checked later. Throws Error of every rank: usage for a value out of range
// or without a meaning with the others, configuration for a combination that cannot work.
TrainSettings settings_of(TrainCommand command, const Registry& registry, const JobReach& job = {});

// The text of `train --help`: examples, the flags by topic, the exit codes. Only --help=all has the flags that are
// seldom needed, and those for the scripts of other programs.
enum class HelpPart { most_used_flags, all_flags };
std::string train_help(HelpPart part);

}  // namespace lockstep
