#include "collective/parse_nccl_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ranges>
#include <vector>

#include "base/counted.h"
#include "base/printable.h"
#include "base/whole_number.h"

namespace lockstep {
namespace {

using Words = std::vector<std::string_view>;

// Of what follows "NCCL INFO" in the line, which begins with host, process and thread.
Words words_of(std::string_view line) {
  constexpr std::string_view kBegin = "NCCL INFO ";
  const std::size_t begin = line.find(kBegin);
  Words words;
  if (begin == std::string_view::npos) return words;
  for (const auto word : std::views::split(line.substr(begin + kBegin.size()), ' ')) {
    if (!word.empty()) words.emplace_back(word.begin(), word.end());
  }
  return words;
}

// The word after `name`; "" if there is none.
std::string_view after(const Words& words, std::string_view name) {
  const auto found = std::ranges::find(words, name);
  return found == words.end() || found + 1 == words.end() ? std::string_view() : *(found + 1);
}

// Of "channel{Lo..Hi}={0..15}" among them: 16.
std::optional<int> channels_in(const Words& words) {
  const auto found = std::ranges::find_if(words, [](auto word) { return word.starts_with("channel{"); });
  const std::string_view range = found == words.end() ? std::string_view() : *found;
  const std::size_t open = range.rfind('{');
  const std::size_t dots = range.rfind("..");
  if (open == std::string_view::npos || dots == std::string_view::npos || dots < open || !range.ends_with('}')) {
    return {};
  }
  const auto first = parse_digits<int>(range.substr(open + 1, dots - open - 1));
  const auto last = parse_digits<int>(range.substr(dots + 2, range.size() - dots - 3));
  if (!first || !last || *last < *first) return {};
  return *last - *first + 1;
}

// Of "AllReduce: 4194304 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..15}", and of
// "AllReduce [Symmetric]: 4194304 Bytes -> Kernel AllReduce_RSxLD_AGxST nchannels 16 nthreads 512 nWorks 1".
std::string all_reduce_of(const Words& words) {
  if (words.empty() || !words.front().starts_with("AllReduce")) return "";
  const auto unit = std::ranges::find(words, "Bytes");
  if (unit == words.end()) return "";
  const auto bytes = parse_digits<std::int64_t>(*(unit - 1));
  const std::string_view algorithm = after(words, "Algo");
  const std::string_view protocol = after(words, "proto");
  const std::string_view kernel = after(words, "Kernel");
  const auto channels = kernel.empty() ? channels_in(words) : parse_digits<int>(after(words, "nchannels"));
  if (!bytes || !channels || (kernel.empty() && (algorithm.empty() || protocol.empty()))) return "";
  const std::string way =
      kernel.empty() ? fmt::format("{}, {}", escaped(algorithm), escaped(protocol)) : escaped(kernel);
  return fmt::format("an all-reduce of {:.1f} MB by {}, on {}", static_cast<double>(*bytes) * 1e-6, way,
                     counted(*channels, "channel"));
}

// Of "Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/0/GDRDMA": "NET/IB".
std::string transport_of(const Words& words) {
  if (words.empty() || words.front() != "Channel") return "";
  const std::string_view via = after(words, "via");
  const std::size_t kind = via.find('/');
  const std::size_t end = kind == std::string_view::npos ? kind : via.find('/', kind + 1);
  return escaped(via.substr(0, end));
}

}  // namespace

std::string parse_nccl_log(std::string_view log) {
  std::string all_reduce;
  std::vector<std::string> transports;
  for (const auto line : std::views::split(log, '\n')) {
    const Words words = words_of({line.begin(), line.end()});
    if (std::string way = all_reduce_of(words); !way.empty()) all_reduce = std::move(way);
    std::string transport = transport_of(words);
    if (!transport.empty() && std::ranges::find(transports, transport) == transports.end()) {
      transports.push_back(std::move(transport));
    }
  }
  std::string text = std::move(all_reduce);
  if (!transports.empty()) {
    text += fmt::format("{}over {}", text.empty() ? "" : ", ", fmt::join(transports, " and "));
  }
  return text;
}

}  // namespace lockstep
