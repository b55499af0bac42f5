#include "train/output/rank_logs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/host_name.h"

namespace lockstep {
namespace {

struct LogWire {  // as sent between ranks: text of fixed size, cut if it is longer
  std::array<char, 64> host{};
  std::array<char, 192> why{};  // "" = the file is open
};

template <std::size_t N>
void put(const std::string& text, std::array<char, N>& field) {
  std::copy_n(text.data(), std::min(text.size(), N - 1), field.data());
}

// Returns why it cannot be opened, "" if it is.
std::string open_log(const std::filesystem::path& folder, const TrainingRank& rank) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure && !rank.is_chief())
    return fmt::format("cannot make the folder {}: {}", folder.string(), failure.message());
  try {
    rank.log.open_file((folder / fmt::format("rank-{:04}.log", rank.everyone().rank())).string());
  } catch (const Error& error) {
    if (rank.is_chief()) throw;
    return error.what();
  }
  return "";
}

}  // namespace

void open_rank_logs(const std::string& output_dir, const TrainingRank& rank) {
  LogWire mine;
  put(host_name(), mine.host);
  put(open_log(std::filesystem::path(output_dir) / "log", rank), mine.why);

  const std::vector<LogWire> all = all_gather_value(rank.world, mine);
  if (!rank.is_chief()) return;
  std::vector<MissingLog> missing;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].why.front() != '\0') missing.push_back({static_cast<int>(i), all[i].host.data(), all[i].why.data()});
  }
  for (const std::string& line : describe_missing_logs(missing)) rank.log.warning("{}", line);
}

std::vector<std::string> describe_missing_logs(std::span<const MissingLog> missing) {
  std::vector<std::string> hosts;
  for (const MissingLog& each : missing) {
    if (std::ranges::find(hosts, each.host) == hosts.end()) hosts.push_back(each.host);
  }
  std::vector<std::string> lines;
  for (const std::string& host : hosts) {
    std::vector<int> ranks;
    for (const MissingLog& each : missing) {
      if (each.host == host) ranks.push_back(each.rank);
    }
    const std::string& why = std::ranges::find(missing, host, &MissingLog::host)->why;
    lines.push_back(fmt::format("rank{} {} on {} log{} to the standard error only: {}", ranks.size() > 1 ? "s" : "",
                                fmt::join(ranks, ", "), host, ranks.size() > 1 ? "" : "s", why));
  }
  return lines;
}

}  // namespace lockstep
