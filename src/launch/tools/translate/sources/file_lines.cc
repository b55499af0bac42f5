#include "launch/tools/translate/sources/file_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/printable.h"
#include "base/whole_number.h"

namespace lockstep {

std::vector<FileLine> lines_of(std::string_view text) {
  std::vector<FileLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    std::string_view rest = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    rest = rest.substr(0, rest.find('#'));
    FileLine line{.number = number, .words = {}};
    constexpr const char* kBlanks = " \t\r";
    for (auto begin = rest.find_first_not_of(kBlanks); begin != std::string_view::npos;
         begin = rest.find_first_not_of(kBlanks)) {
      rest.remove_prefix(begin);
      const auto after = std::min(rest.find_first_of(kBlanks), rest.size());
      line.words.push_back(rest.substr(0, after));
      rest.remove_prefix(after);
    }
    if (!line.words.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

void refuse_line(const std::string& path, int line, const std::string& why) {
  throw Error(ExitCode::bad_data, fmt::format("{}:{}: {}", path, line, why), Scope::every_rank);
}

int slots_in(std::string_view digits, int least, const std::string& path, int line) {
  const auto slots = parse_digits<int>(digits);
  if (!slots || *slots < least || *slots > kMaxSlots) {
    refuse_line(path, line,
                fmt::format("{}: expected the number of slots, from {} to {}", in_quotes(digits), least, kMaxSlots));
  }
  return *slots;
}

void SlotsByHost::add(std::string_view host, int slots, int line) {
  if (slots > kMaxSlots - total_) refuse_line(path_, line, fmt::format("the file has more than {} slots", kMaxSlots));
  total_ += slots;
  const auto [number, is_new] = numbers_.emplace(host, hosts_.size());
  if (is_new) hosts_.push_back({.host = std::string(host)});
  hosts_[number->second].ranks += slots;
}

}  // namespace lockstep
