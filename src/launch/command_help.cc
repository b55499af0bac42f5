// The one place that includes cxxopts: it lays out the help. Reading the command line is ours (command_line.cc),
// because cxxopts keeps the last of repeated flags silently, lets "--a --b" take "--b" as a value, and turns
// "--flag false" into true.
#define CXXOPTS_NO_REGEX  // std::regex in it costs compile time and warnings, and we parse nothing with it
#include <cxxopts.hpp>

#include "launch/command_line.h"

namespace lockstep {

std::string flags_help(std::span<const Flag> flags) {
  constexpr std::size_t kColumns = 100;
  cxxopts::Options options("");
  options.set_width(kColumns);
  std::vector<std::string> groups;
  for (const Flag& flag : flags) {
    if (!flag.refusal.empty()) continue;
    const std::string group(flag.group);
    if (groups.empty() || groups.back() != group) groups.push_back(group);
    std::shared_ptr<cxxopts::Value> value = cxxopts::value<bool>();
    if (!flag.placeholder.empty()) value = cxxopts::value<std::string>();
    if (!flag.default_text.empty()) value->default_value(std::string(flag.default_text));
    options.add_options(group)(std::string(flag.name), std::string(flag.help), value, std::string(flag.placeholder));
  }
  std::string text = options.help(groups, false);
  // Our groups are headlines, not adjectives: "How long:", not " How long options:".
  for (const std::string& group : groups) {
    const std::string theirs = " " + group + " options:";
    text.replace(text.find(theirs), theirs.size(), group + ":");
  }
  text.erase(0, text.find(groups.front() + ":"));  // the usage line
  // cxxopts leaves a blank at the end of each line it breaks.
  for (std::size_t at = text.find(" \n"); at != std::string::npos; at = text.find(" \n", at)) text.erase(at, 1);
  return text;
}

}  // namespace lockstep
