#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

// Merging of the flags of processes that are started with different ones, as the tasks of a TensorFlow cluster are: a
// task says where it is and what it has, and the chief says what is done. Pure.
namespace lockstep {

struct TrainSettings;

// The flags on the command line of one process.
struct GivenFlags {
  std::map<std::string, std::string> flags;  // as texts, by their own names
  std::string config;                        // the text of the file of --config
  bool operator==(const GivenFlags&) const = default;
};

// The flags as one text, and the flags of such a text.
std::string to_text(const GivenFlags& given);
GivenFlags given_flags(std::string_view text);

// The value of a flag, else its value in the --config file; nothing if neither gives it. Throws as parse_config().
std::optional<std::string> given_value(const GivenFlags& given, std::string_view name);

// Gives the setting of that name the value of its flag on the command line. Returns whether it is given there.
bool assign_given(const GivenFlags& given, std::string_view name, TrainSettings& settings);

// Flags and the process that has them.
struct FlagsOwner {
  GivenFlags given;
  std::string who;         // "rank 2 (worker 1, node08)", for messages
  bool evaluates = false;  // an evaluator's flags may differ from the others'
};

// The flags that hold for a process: its own, then the chief's, except those that each process has for itself.
// --schedule=run_std_server stands for the chief's schedule. An evaluator with a chief has continuous_eval, unless it
// gives another schedule for a saved model, and those of the chief's flags that have a meaning there. In a world of
// evaluators the first one, with its merged flags, is the chief of the others.
//
// Throws Error of every rank, configuration, if a flag for all ranks of a world has two values, with both and their
// owners, or if the chief has run_std_server.
GivenFlags merge_flags(const FlagsOwner& chief, const FlagsOwner& process);

}  // namespace lockstep
