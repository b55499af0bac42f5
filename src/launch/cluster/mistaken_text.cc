#include "launch/cluster/mistaken_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {
namespace {

std::string_view from_next_word(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

// True for a dictionary as Python prints it: {'cluster': ...}, or {u'cluster': ...} of Python 2.
bool is_of_python(std::string_view text) {
  if (!text.starts_with('{')) return false;
  std::string_view name = from_next_word(text.substr(1));
  if (name.starts_with('u')) name.remove_prefix(1);
  return name.starts_with('\'');
}

bool is_path(std::string_view text) {
  return text.starts_with('/') || text.starts_with("./") || text.starts_with('~') || text.ends_with(".json");
}

}  // namespace

std::string what_it_seems(std::string_view text, std::string_view source) {
  const std::string_view word = from_next_word(text);
  if (is_of_python(word)) return "it is a dictionary as Python prints it, in single quotes; write it by json.dumps()";
  if (word.starts_with('$')) {
    return "it is a variable that nothing has replaced; a shell replaces it outside of single quotes, and Kubernetes "
           "where it is defined further up in the same container";
  }
  if (is_path(word)) return fmt::format("it is a path; give the text itself: {}=\"$(cat FILE)\"", source);
  return {};
}

}  // namespace lockstep
