#include <algorithm>

#include "launch/flags/command_line.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxColumns = 99;      // some terminals of 100 columns break a line of 100
constexpr std::size_t kMaxNameColumns = 30;  // a flag with a longer name has its help on lines of its own
constexpr std::size_t kGap = 2;              // blanks between the names and the help

std::string shown_name(const Flag& flag) {
  std::string text = "      --" + std::string(flag.name);
  if (!flag.placeholder.empty()) text += " " + std::string(flag.placeholder);
  return text;
}

// Appends text, broken between words, from column `start` of the line that `page` ends with.
void append_wrapped(std::string& page, std::string_view text, std::size_t start) {
  const std::size_t most = kMaxColumns - start;
  while (text.size() > most) {
    std::size_t end = text.rfind(' ', most);
    if (end == text.npos) end = text.find(' ');  // one word wider than the column
    if (end == text.npos) break;
    page.append(text.substr(0, end)).append("\n").append(start, ' ');
    text.remove_prefix(end + 1);
  }
  page.append(text).append("\n");
}

}  // namespace

std::string help_with_default(const Flag& flag) {
  std::string text(flag.help);
  const bool names_it = flag.help.find("(default: ") != flag.help.npos;
  if (!flag.default_text.empty() && !names_it) text += " (default: " + std::string(flag.default_text) + ")";
  return text;
}

std::string flags_help(std::span<const Flag> flags) {
  std::vector<std::string_view> groups;
  for (const Flag& flag : flags) {
    if (std::ranges::find(groups, flag.group) == groups.end()) groups.push_back(flag.group);
  }

  std::string page;
  for (const std::string_view group : groups) {
    std::size_t name_columns = 0;
    for (const Flag& flag : flags) {
      if (flag.group == group) name_columns = std::max(name_columns, shown_name(flag).size());
    }
    const std::size_t start = std::min(name_columns, kMaxNameColumns) + kGap;

    if (!page.empty()) page += "\n";
    page.append(group).append(":\n");
    for (const Flag& flag : flags) {
      if (flag.group != group) continue;
      std::string name = shown_name(flag);
      if (name.size() > kMaxNameColumns) {
        page += name + "\n";
        name.clear();
      }
      page.append(name).append(start - name.size(), ' ');
      append_wrapped(page, help_with_default(flag), start);
    }
  }
  return page;
}

}  // namespace lockstep
