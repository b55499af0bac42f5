#pragma once

#include <optional>
#include <span>
#include <string>

#include "launch/flags/command_line.h"
#include "launch/flags/config_file.h"
#include "train/config/settings.h"
#include "train/registry.h"

namespace lockstep {

// What `train` was asked to do, as far as it can be read without the tables of names: a user's library, which this
// names, may add to them.
struct TrainCommand {
  enum class Request { train, help, version, registry_help, print_hparams, print_schedule };
  Request request = Request::train;
  CommandLine line;
  std::optional<ConfigFile> file;  // of --config
  std::string usr_lib;             // "" = none
};

// Reads the command line, without the program's name, and the file of --config. Throws Error of every rank: usage for a
// flag that is unknown, repeated or malformed, missing_input for a --config that is not there.
TrainCommand read_train_command(std::span<const std::string> args);

// The settings that the command amounts to: the command line's, then those of the file that it leaves open, then the
// defaults. Whether there is such a problem, model, set or device is found out later. Throws Error of every rank: usage
// for a value out of range or without a meaning with the others, configuration for a combination that cannot work.
TrainSettings settings_of(TrainCommand command, const Registry& registry);

// What `train --help` prints: examples, the flags by topic, the exit codes.
std::string train_help();

}  // namespace lockstep
