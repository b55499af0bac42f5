#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "base/printable.h"
#include "base/whole_number.h"
#include "launch/tools/translate/sources/file_lines.h"
#include "launch/tools/translate/sources/rank_sources.h"

namespace lockstep {
namespace {

using Words = std::array<std::string_view, 4>;
constexpr Words kSlots = {"slots", "count", "cpu", "cpus"};
constexpr Words kIgnored = {"max_slots", "max-slots", "user_name", "username"};

bool is_one_of(std::string_view word, const Words& words) { return std::ranges::find(words, word) != words.end(); }

// The number of slots in the line; nothing if it has none.
std::optional<int> slots_of(const FileLine& line, const std::string& path) {
  // Blanks around the sign are allowed: "slots = 2".
  std::string assignments;
  for (std::size_t i = 1; i < line.words.size(); ++i) {
    const std::string_view word = line.words[i];
    const bool joins = word.starts_with('=') || assignments.ends_with('=');
    if (!assignments.empty() && !joins) assignments += ' ';
    assignments += word;
  }
  std::optional<int> slots;
  for (const FileLine& words : lines_of(assignments)) {
    for (const std::string_view word : words.words) {
      const auto sign = word.find('=');
      const std::string_view name = word.substr(0, sign);
      if (sign == std::string_view::npos || (!is_one_of(name, kSlots) && !is_one_of(name, kIgnored))) {
        refuse_line(path, line.number,
                    fmt::format("{}: expected slots=N or max_slots=N after the host", in_quotes(word)));
      }
      if (is_one_of(name, kSlots)) slots = slots_in(word.substr(sign + 1), 0, path, line.number);
    }
  }
  return slots;
}

// The name of the host. mpirun's --host takes HOST:N; in a hostfile that would be the name of a host.
std::string host_of(const FileLine& line, const std::string& path) {
  const std::string_view word = line.words[0];
  std::string host(word.substr(word.find('@') + 1));
  if (host.empty() || host.starts_with('^') || host.starts_with('+')) {
    refuse_line(path, line.number, fmt::format("{}: expected the name of a host", in_quotes(word)));
  }
  const auto colon = host.find(':');
  if (colon == std::string::npos || is_ipv6_address(host)) return host;
  const std::string_view slots = std::string_view(host).substr(colon + 1);
  if (!parse_digits<int>(slots)) {
    refuse_line(path, line.number,
                fmt::format("{}: expected the name of a host, or its numeric address without brackets and port",
                            in_quotes(word)));
  }
  refuse_line(path, line.number,
              fmt::format("{}: a hostfile has the number after the host: {} slots={}", in_quotes(word),
                          escaped(host.substr(0, colon)), slots));
}

}  // namespace

RankList ranks_of_hostfile(std::string_view text, const std::string& path) {
  struct Lines {
    int first = 0;
    int count = 0;
    bool have_slots = false;
  };
  SlotsByHost hosts(path);
  std::unordered_map<std::string, Lines> lines_with;
  for (const FileLine& line : lines_of(text)) {
    const std::string host = host_of(line, path);
    const std::optional<int> slots = slots_of(line, path);
    Lines& known = lines_with[host];
    if (known.count++ == 0) {
      known.first = line.number;
    } else if (known.have_slots || slots) {
      refuse_line(
          path, line.number,
          fmt::format("{} stands in line {} as well: mpirun takes one line with slots=N, or a line for each slot "
                      "without it",
                      in_quotes(host), known.first));
    }
    known.have_slots = slots.has_value();
    hosts.add(host, slots.value_or(1), line.number);
  }
  RankList list = list_of_hosts(path, hosts.hosts());
  list.hostfile = path;
  for (const HostRun& host : hosts.hosts()) {
    const Lines& known = lines_with[host.host];
    if (known.count > 1 || known.have_slots) continue;
    list.warnings.push_back(
        fmt::format("{}:{}: {} has no slots=N: it counts as one rank here, and mpirun takes as many as it has cores",
                    path, known.first, in_quotes(host.host)));
  }
  return list;
}

}  // namespace lockstep
