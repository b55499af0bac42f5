#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

// The flags of processes that are started with different ones, as the tasks of a TensorFlow cluster are: a task says
// where it is and what it has, and the chief says what is done. Pure.
namespace lockstep {

struct TrainSettings;

// What the command line of one process says.
struct GivenFlags {
  std::map<std::string, std::string> flags;  // as texts, by their own names
  std::string config;                        // the text of the file of --config
  bool operator==(const GivenFlags&) const = default;
};

// As one text, and back.
std::string to_text(const GivenFlags& given);
GivenFlags given_flags(std::string_view text);

// The value of a flag, or what the file of --config says of it; nothing if neither does.
std::optional<std::string> given_value(const GivenFlags& given, std::string_view name);

// Gives the setting of that name the value of its flag. Returns whether there is one.
bool assign_given(const GivenFlags& given, std::string_view name, TrainSettings& settings);

// Whose flags they are.
struct FlagsOwner {
  GivenFlags given;
  std::string who;         // "rank 2 (worker 1, node08)", for messages
  bool evaluates = false;  // beside the others, whose flags may be others
};

// The flags that hold for a process: its own, then the chief's, but for those that each process has to itself.
// --schedule=run_std_server stands for the chief's schedule. An evaluator beside a chief has continuous_eval, unless it
// says another schedule of a saved model, and of the chief's flags those that have a meaning there. In a world of
// evaluators the first one, as it was merged itself, is the others' chief.
//
// Throws Error of every rank, configuration: a flag for all ranks of a world that has two values, with both and whose
// they are, and a chief with run_std_server.
GivenFlags merge_flags(const FlagsOwner& chief, const FlagsOwner& process);

}  // namespace lockstep
