#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/hparams.h"
#include "launch/flags/command_line.h"
#include "train/registry/registry.h"
#include "train/strategy/strategy_name.h"

namespace lockstep {

// The flags that a --config file gives: one JSON object, like config.json of an --output_dir. Underscores and dashes
// are alike in their names; values are texts, numbers, or true and false for boolean flags. "hparams" is a text of
// overrides, as --hparams takes it, or an object of values. "start", a run's note about its start, is ignored.
struct ConfigFile {
  std::string path;
  std::map<std::string, std::string, std::less<>> flags;  // by their own names, as a command line would give them
  HParams hparams;                                        // from an object; their set's types are not known here

  std::optional<std::string> flag(std::string_view name) const;
};

// Throws Error(usage) of every rank, naming path and flag: for text that is not such an object, flags that are unknown
// (with what they are here, or the nearest), repeated, of the wrong type, or that ask for something else than training.
ConfigFile parse_config(std::string_view text, const std::string& path, std::span<const Flag> flags);

// Reads the file, as text. Throws Error of every rank, with the code that read_file() gives.
std::string read_config_text(const std::string& path);

// Gives `line` the flags of the file that it does not have. The command line wins, flag by flag; its hparams change
// those of the file one by one. Flags that have a meaning in the file but none together with the command line are left
// out: the file's way to say how long to train or when to save, if the command line has the other one; flags of another
// strategy; hparams of another set or model. Returns the values for the hparams set that are to be applied before
// --hparams. Throws as strategy_called().
HParams fill_from(ConfigFile file, CommandLine& line, const Registry& registry, const JobReach& job = {});

// Gives --strategy, if it is on the line, the name that the registry has for it. Throws as strategy_called().
void resolve_strategy(CommandLine& line, const Registry& registry, const JobReach& job = {});

}  // namespace lockstep
